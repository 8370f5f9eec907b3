import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import type { ChallengeOutcome } from './use-challenge.ts';

interface ChallengeDialogProps {
  isOpen: boolean;
  onAnswer: (outcome: ChallengeOutcome) => void;
}

/** Test mode's 3D Secure: stands where a bank would ask for a code or a tap in its app. */
export function ChallengeDialog({ isOpen, onAnswer }: ChallengeDialogProps) {
  return (
    <Dialog isOpen={isOpen} onClose={() => onAnswer('fail')} title="Confirm this payment">
      <p>
        Your bank would ask you here to prove that it is you (3D Secure). In test mode you choose what it
        hears.
      </p>
      <div className="flex flex-col gap-3 sm:flex-row">
        <Button className="flex-1" onClick={() => onAnswer('complete')}>
          Complete authentication
        </Button>
        <Button variant="secondary" className="flex-1" onClick={() => onAnswer('fail')}>
          Fail authentication
        </Button>
      </div>
    </Dialog>
  );
}
