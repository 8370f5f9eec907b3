import { Link } from 'react-router';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';

interface RepeatDialogProps {
  /** The shop's words: what was bought when, and whether to buy it again. Null while nothing is asked. */
  question: string | null;
  /** A guest has no list of orders. */
  guest: boolean;
  onBuyAgain(): void;
  onClose(): void;
}

export function RepeatDialog({ question, guest, onBuyAgain, onClose }: RepeatDialogProps) {
  return (
    <Dialog title="Same order again" isOpen={question !== null} onClose={onClose}>
      <p>{question}</p>
      <p className="text-muted">
        Your card has not been charged for this one.{' '}
        {!guest && (
          <Link to="/orders" replace className="font-semibold text-accent-ink underline">
            My Orders
          </Link>
        )}
      </p>
      <div className="flex flex-wrap justify-end gap-3">
        <Button variant="secondary" onClick={onClose}>
          Cancel
        </Button>
        <Button onClick={onBuyAgain}>Buy again</Button>
      </div>
    </Dialog>
  );
}
