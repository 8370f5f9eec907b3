import { expect, test } from 'vitest';
import { categories } from '../../shared/catalog-choices.ts';
import { categoryIcons } from './category-icons.ts';

test('every category of the shop has an icon, and no other has one', () => {
  expect(Object.keys(categoryIcons).toSorted()).toEqual([...categories].toSorted());
});
