import type { ItemState } from '../../../../shared/inventory.ts';
import type { Tone } from '../../../ui/badge.tsx';

/** What an item's state is called on the screen. */
export const stateNames: Record<ItemState, string> = {
  available: 'Available',
  held: 'On hold',
  allocated: 'Being paid',
  sold: 'Sold',
  quarantined: 'Quarantined',
  burnt: 'Burnt',
  voided: 'Voided',
};

export const stateTones: Record<ItemState, Tone> = {
  available: 'success',
  held: 'warning',
  allocated: 'warning',
  sold: 'info',
  quarantined: 'neutral',
  burnt: 'danger',
  voided: 'neutral',
};

/** Nobody has bought it, or its buyer gave it back unseen. */
export const isUnsold = (state: ItemState): boolean => state === 'available' || state === 'quarantined';
