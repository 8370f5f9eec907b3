import { useSyncExternalStore } from 'react';
import type { StoredValue } from './stored-value.ts';

/** A stored value that the screen follows, whichever tab changes it. */
export const useStored = <T>(value: StoredValue<T>): T => useSyncExternalStore(value.subscribe, value.read);
