import { notifyManager, QueryClient } from '@tanstack/react-query';
import { isTransient } from './api-client.ts';

const MAX_RETRIES = 2;

// By default, updates wait for the next task. The second click of a double click can come before that, when the button does
// not know yet that it is busy.
notifyManager.setScheduler(queueMicrotask);

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { staleTime: 30_000, retry: (failures, failure) => failures < MAX_RETRIES && isTransient(failure) },
  },
});
