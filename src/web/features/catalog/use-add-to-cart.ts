import type { DigitalProduct } from '../../../shared/catalog.ts';
import { useCart } from '../../state/cart.tsx';
import { useToasts } from '../../state/toasts.tsx';

/** Puts a product into the cart and says so, or why not. */
export function useAddToCart() {
  const { add } = useCart();
  const { show } = useToasts();
  return (product: DigitalProduct, quantity = 1) => {
    const result = add(product, quantity);
    if (!result.ok) return show({ type: 'error', message: result.message });
    const { name, image, category } = product;
    show({ type: 'success', message: 'Added to cart', product: { name, image, category } });
  };
}
