import { playInterleavings } from './play-interleavings.ts';

playInterleavings(['shared', 'file', 'manual']);
