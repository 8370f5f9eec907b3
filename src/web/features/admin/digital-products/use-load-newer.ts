import { useState } from 'react';
import { get, type UseFormReturn } from 'react-hook-form';
import type { AdminDigitalProduct } from '../../../../shared/admin-catalog.ts';
import { call, messageOf } from '../../../lib/api-client.ts';
import { type ProductValues, valuesOf } from './product-form.ts';

const labels = {
  name: 'Name',
  description: 'Description',
  price: 'Price',
  category: 'Category',
  image: 'Image',
  deliveryInstructions: 'Delivery Instructions',
  warranty: 'Warranty',
  featured: 'Featured',
  discount: 'Discount',
  flashSale: 'Flash sale',
} as const satisfies Record<keyof ProductValues, string>;

interface LoadNewer {
  form: Pick<UseFormReturn<ProductValues, unknown, object>, 'formState' | 'reset'>;
  original: AdminDigitalProduct;
  setOriginal(product: AdminDigitalProduct): void;
  onLoaded(): void;
}

/** Brings what somebody else saved meanwhile into the form, under what was typed here. */
export function useLoadNewer({ form, original, setOriginal, onLoaded }: LoadNewer) {
  const [isLoading, setIsLoading] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [note, setNote] = useState<string>();
  // Read while rendering, which is how react-hook-form learns that it has to be kept.
  const { dirtyFields } = form.formState;

  async function load() {
    setIsLoading(true);
    setProblem(undefined);
    try {
      const { data } = await call('GET /admin/digital-products/:id', { params: { id: original._id } });
      setNote(describe(valuesOf(original), valuesOf(data)));
      setOriginal(data);
      form.reset(valuesOf(data), { keepDirtyValues: true });
      onLoaded();
    } catch (failure) {
      setProblem(messageOf(failure, 'Product not found'));
    } finally {
      setIsLoading(false);
    }
  }

  function describe(before: ProductValues, after: ProductValues): string {
    const names = Object.keys(labels) as (keyof ProductValues)[];
    const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
    const own = changed.filter((name) => JSON.stringify(get(dirtyFields, name) ?? '').includes('true'));
    const listed = (some: typeof names) => some.map((name) => labels[name]).join(', ');
    return [
      changed.length > 0 && `Changed meanwhile: ${listed(changed)}.`,
      own.length > 0 && `You changed this, too, and yours is kept: ${listed(own)}.`,
      'What you typed is still here. Please look at it once more and save.',
    ]
      .filter(Boolean)
      .join(' ');
  }

  return { load: () => void load(), isLoading, problem, note };
}
