import type { DemoProduct } from './demo-product.ts';

const onLauncher =
  'Open the game’s launcher, choose “Redeem a code” under your profile picture and enter the key exactly as shown, with its dashes. The download starts by itself. A key works once and has no region lock.';

/** Key-activated games of invented studios. */
export const gameProducts: readonly DemoProduct[] = [
  {
    slug: 'ember-reach',
    name: 'Ember Reach: Definitive Edition',
    category: 'Game Keys',
    description:
      'Cross a burning mountain range in an open world where every summit you see can be climbed. The Definitive Edition includes both expansions, the art book and a new-game-plus mode. Full controller support, playable offline.',
    priceCents: 4499,
    discount: { percent: 25, endsInDays: 12 },
    featured: true,
    deliveryInstructions: onLauncher,
    warrantyDays: 30,
    stock: 48,
    keys: 'product-key',
    createdDaysAgo: 118,
    cover: { motif: 'peaks', palette: 'ember' },
  },
  {
    slug: 'tidebound-leviathan',
    name: 'Tidebound: Leviathan',
    category: 'Game Keys',
    description:
      'Build a base under a storm that never ends, and dive a little deeper every night. Something enormous lives below, and it has started to follow your lights. For one to four players, with cross-play.',
    priceCents: 2999,
    flashSale: { priceCents: 1799, startsInHours: -9, endsInHours: 49, units: 20 },
    featured: true,
    deliveryInstructions: onLauncher,
    warrantyDays: 30,
    stock: 37,
    keys: 'product-key',
    createdDaysAgo: 8,
    cover: { motif: 'leviathan', palette: 'abyss' },
  },
  {
    slug: 'neon-apex-rally',
    name: 'Neon Apex Rally',
    category: 'Game Keys',
    description:
      'Arcade racing through the night cities of 1986, with forty cars, twelve circuits and a soundtrack made of pure synthesiser. Race alone, against ghosts, or with seven friends on one sofa.',
    priceCents: 1999,
    featured: true,
    deliveryInstructions: onLauncher,
    warrantyDays: 30,
    stock: 60,
    keys: 'product-key',
    createdDaysAgo: 3,
    cover: { motif: 'speedway', palette: 'neon' },
  },
  {
    slug: 'hollow-lantern',
    name: 'Hollow Lantern',
    category: 'Game Keys',
    description:
      'A hand-drawn adventure about the last lamplighter of a drowned forest. Explore a map that folds back on itself, collect twenty-six flames and decide which of them to put out. About fifteen hours long.',
    priceCents: 1499,
    deliveryInstructions: onLauncher,
    warrantyDays: 30,
    stock: 3,
    keys: 'product-key',
    createdDaysAgo: 151,
    cover: { motif: 'lantern', palette: 'forest' },
  },
  {
    slug: 'little-orchard-valley',
    name: 'Little Orchard Valley',
    category: 'Game Keys',
    description:
      'Inherit a hillside of old apple trees and bring the village back to life, one season at a time. Farm, fish, bake and befriend thirty-two neighbours who remember what you tell them. There is no clock to beat.',
    priceCents: 1699,
    discount: { offCents: 300, endsInDays: 20 },
    deliveryInstructions: onLauncher,
    warrantyDays: 30,
    stock: 41,
    keys: 'product-key',
    createdDaysAgo: 53,
    cover: { motif: 'orchard', palette: 'meadow' },
  },
  {
    slug: 'orbital-freight-co',
    name: 'Orbital Freight Co.',
    category: 'Game Keys',
    description:
      'Start with one battered hauler and a loan you cannot pay back. Trade between sixty moons, hire a crew that argues with you, and fly every docking by hand or let the computer do it for a fee.',
    priceCents: 2499,
    deliveryInstructions: onLauncher,
    warrantyDays: 30,
    stock: 26,
    keys: 'product-key',
    createdDaysAgo: 9,
    cover: { motif: 'orbit', palette: 'cosmos' },
  },
];
