import { CreditCard, KeyRound, ShieldCheck, ShoppingBag, UserRound } from 'lucide-react';
import { useTitle } from '../../lib/page.ts';
import { Callout } from '../../ui/badge.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { TextLink } from '../../ui/form-page.tsx';

const steps = [
  { icon: ShoppingBag, title: 'Browse', text: 'Find what you like and put it in your cart.' },
  { icon: UserRound, title: 'Check out', text: 'Give your name, your email and a password of your choice.' },
  { icon: CreditCard, title: 'Pay', text: 'Pay by card. Your account is made, and you are signed in.' },
  { icon: KeyRound, title: 'Log in', text: 'Come back any time with that email and password.' },
];

export function RegisterScreen() {
  useTitle('Buy to Register');
  return (
    <div className="mx-auto w-full max-w-reading px-4 py-10 sm:py-14">
      <Card className="grid gap-8 p-6 sm:p-10">
        <div className="grid gap-2">
          <h1 className="text-2xl">Buy to Register</h1>
          <p className="text-muted">There is no form to fill in here: your first purchase makes your account.</p>
        </div>
        <ol className="grid gap-5 sm:grid-cols-2">
          {steps.map(({ icon: Icon, title, text }, position) => (
            <li key={title} className="flex gap-4">
              <span className="grid size-11 shrink-0 place-items-center rounded-md bg-accent-soft text-accent-ink">
                <Icon aria-hidden className="size-5" />
              </span>
              <div>
                <h2 className="text-base">
                  {position + 1}. {title}
                </h2>
                <p className="text-muted">{text}</p>
              </div>
            </li>
          ))}
        </ol>
        <Callout tone="accent" icon={ShieldCheck}>
          Why? It prevents spam and fake accounts, so everybody here is a real buyer.
        </Callout>
        <div className="flex flex-col gap-3 sm:flex-row sm:items-center sm:gap-6">
          <ButtonLink to="/" size="lg">
            Start Shopping
          </ButtonLink>
          <p className="text-center text-muted">
            Already have an account? <TextLink to="/login">Login</TextLink>
          </p>
        </div>
      </Card>
    </div>
  );
}
