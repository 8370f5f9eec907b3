import { expect, test } from 'vitest';
import { initialOf } from './initial.ts';

test('the initial of a name is a whole character', () => {
  expect(['aminah', '🎮 Ali', 'émile', '山田', ''].map(initialOf)).toEqual(['A', '🎮', 'É', '山', '?']);
});
