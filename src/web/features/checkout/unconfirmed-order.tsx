import { CloudOff } from 'lucide-react';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';

interface UnconfirmedOrderProps {
  email: string;
  retrying: boolean;
  onRetry: () => void;
}

/** The card was accepted but the shop cannot be reached: nothing is lost, so say that first. */
export function UnconfirmedOrder({ email, retrying, onRetry }: UnconfirmedOrderProps) {
  return (
    <Notice icon={CloudOff} tone="warning" title="Your payment is safe">
      <p>
        Your card was accepted, but we cannot reach the shop to show you the order. It is finished without
        you: the order comes by mail to <strong>{email}</strong>. You will not be charged again.
      </p>
      <Button loading={retrying} onClick={onRetry}>
        Try again
      </Button>
    </Notice>
  );
}
