import { expect, test } from 'vitest';
import { categories } from '../../shared/catalog-choices.ts';
import { categoryIcons } from './picture.tsx';

test('every category of the shop has an icon, and no other has one', () => {
  expect(Object.keys(categoryIcons).toSorted()).toEqual([...categories].toSorted());
});
