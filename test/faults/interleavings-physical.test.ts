import { playInterleavings } from './play-interleavings.ts';

playInterleavings(['physical']);
