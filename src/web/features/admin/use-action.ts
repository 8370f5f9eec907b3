import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { CallError, messageOf } from '../../lib/api-client.ts';
import { useToasts } from '../../state/toasts.tsx';
import { useReloadDashboard } from './admin-queries.ts';

const CONFLICT = 409;
const NO_ANSWER = 0;

/** The server's words, with what may be done instead. */
function problemOf(failure: unknown, fallback: string): string {
  const words = messageOf(failure, fallback);
  const allowed = failure instanceof CallError ? failure.allowed : undefined;
  if (allowed === undefined) return words;
  return `${words}. ${allowed.length > 0 ? `It can become ${allowed.join(' or ')}.` : 'Its status can no longer change.'}`;
}

interface Action<Input> {
  send(input: Input): Promise<unknown>;
  /** Said when it is done. */
  said: string;
  /** Said when the shop refuses without words. */
  fallback: string;
  onDone?(): void;
  /** In place of showing what became of it. */
  leave?: (() => Promise<void>) | undefined;
}

/** Something done to an order, an item or a user: busy until the page shows what became of it. */
export function useAction<Input = void>({ send, said, fallback, onDone, leave }: Action<Input>) {
  const { show } = useToasts();
  const reload = useReloadDashboard();
  const isShown = useRef(true);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  const action = useMutation({
    mutationFn: send,
    onSuccess: async () => {
      await (leave ?? reload)();
      show({ type: 'success', message: said });
      onDone?.();
    },
    onError: (failure) => {
      // Its dialog was closed meanwhile.
      if (!isShown.current) show({ type: 'error', message: problemOf(failure, fallback) });
      // It is not any more what this page was made from, or may not be.
      const { status } = failure as Partial<CallError>;
      if (status === CONFLICT || status === NO_ANSWER) void reload();
    },
  });
  return {
    run: (input: Input) => {
      if (!action.isPending) action.mutate(input);
    },
    isBusy: action.isPending,
    problem: action.isError ? problemOf(action.error, fallback) : null,
  };
}
