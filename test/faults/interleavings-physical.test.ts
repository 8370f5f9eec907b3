import { describe } from 'vitest';
import type { KindOfGoods } from '../factories.ts';
import { FAULT_TEST_LIMIT } from './fault-world.ts';
import { playInterleavings } from './play-interleavings.ts';

describe.each<[string, KindOfGoods[]]>([['physical', ['physical']]])(
  'in every order of their steps with %s goods, the invariants hold',
  FAULT_TEST_LIMIT,
  playInterleavings,
);
