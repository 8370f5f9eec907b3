import { expect, test } from 'vitest';
import { categories } from '../../shared/catalog-choices.ts';
import { categoryIcons } from './category-icons.ts';

test('exactly the categories of the shop have an icon', () => {
  expect(Object.keys(categoryIcons).toSorted()).toEqual([...categories].toSorted());
});
