import { notifyManager, QueryClient } from '@tanstack/react-query';
import { CallError } from './api-client.ts';

const MAX_RETRIES = 2;

// Trying again helps when nothing answered, the server was busy or broken, or asked to wait; never against a refusal.
function mayRetry(failures: number, failure: Error): boolean {
  if (failures >= MAX_RETRIES || !(failure instanceof CallError)) return false;
  return failure.status === 0 || failure.status === 429 || failure.status >= 500;
}

// By default news waits for the next task, and the second press of a double click can come before it: a button
// would not know yet that it is busy.
notifyManager.setScheduler(queueMicrotask);

export const queryClient = new QueryClient({
  defaultOptions: { queries: { staleTime: 30_000, retry: mayRetry } },
});
