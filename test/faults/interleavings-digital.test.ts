import { describe } from 'vitest';
import type { KindOfGoods } from '../factories.ts';
import { FAULT_TEST_LIMIT } from './fault-world.ts';
import { playInterleavings } from './play-interleavings.ts';

describe.each<[string, KindOfGoods[]]>([['digital, shared, file and manual', ['digital', 'shared', 'file', 'manual']]])(
  'the invariants hold in every interleaving of operations on %s goods',
  FAULT_TEST_LIMIT,
  playInterleavings,
);
