import { useMutation } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { messageOf } from '../../../lib/api-client.ts';
import { useSession } from '../../../state/session.tsx';
import { useToasts } from '../../../state/toasts.tsx';
import { useReloadDashboard } from '../admin-queries.ts';

interface UserAction<Input> {
  send(input: Input): Promise<unknown>;
  /** Said when it is done. */
  said: string;
  /** It ends this browser's own session. */
  endsOwnSession?: boolean;
  onDone(): void;
}

/** Something done to a user: busy until the page shows what became of them. */
export function useUserAction<Input = void>({ send, said, endsOwnSession, onDone }: UserAction<Input>) {
  const { show } = useToasts();
  const { signOut } = useSession();
  const reload = useReloadDashboard();
  const navigate = useNavigate();
  const action = useMutation({
    mutationFn: send,
    onSuccess: async () => {
      if (endsOwnSession) {
        await signOut();
        await navigate('/login');
      } else await reload();
      show({ type: 'success', message: said });
      onDone();
    },
  });
  return {
    run: (input: Input) => {
      if (!action.isPending) action.mutate(input);
    },
    isBusy: action.isPending,
    problem: action.isError ? messageOf(action.error, 'The user could not be changed') : null,
  };
}
