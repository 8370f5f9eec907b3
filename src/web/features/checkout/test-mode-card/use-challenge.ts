import { useEffect, useRef, useState } from 'react';

export type ChallengeOutcome = 'complete' | 'fail';

/** Asks the buyer as a bank would; the promise settles with the button that is pressed. */
export function useChallenge() {
  const [answer, setAnswer] = useState<{ give: (outcome: ChallengeOutcome) => void } | null>(null);
  const unanswered = useRef<(outcome: ChallengeOutcome) => void>(undefined);
  // Whoever leaves the screen without an answer would else be paying for ever.
  useEffect(() => () => unanswered.current?.('fail'), []);
  const ask = () =>
    new Promise<ChallengeOutcome>((resolve) => {
      const give = (outcome: ChallengeOutcome) => {
        setAnswer(null);
        resolve(outcome);
      };
      setAnswer({ give });
      unanswered.current = give;
    });
  return { isOpen: answer !== null, ask, give: (outcome: ChallengeOutcome) => answer?.give(outcome) };
}
