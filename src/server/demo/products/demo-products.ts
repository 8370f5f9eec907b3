import type { DemoProduct } from './demo-product.ts';
import { cardAndSoftwareProducts } from './products-cards-software.ts';
import { gameProducts } from './products-games.ts';
import { mediaProducts } from './products-media.ts';
import { platformProducts } from './products-platforms.ts';
import { subscriptionProducts } from './products-subscriptions.ts';

export const demoProducts: readonly DemoProduct[] = [
  ...gameProducts,
  ...platformProducts,
  ...subscriptionProducts,
  ...cardAndSoftwareProducts,
  ...mediaProducts,
];
