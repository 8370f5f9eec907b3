import { useShop } from '../../state/shop.tsx';
import { Button } from '../../ui/button.tsx';

/** In a shop with demo data: accounts to try, which a press fills into the form. */
export function DemoAccounts({ onUse }: { onUse: (account: { email: string; password: string }) => void }) {
  const accounts = useShop()?.demoAccounts ?? [];
  if (accounts.length === 0) return null;
  return (
    <section
      aria-labelledby="demo-accounts"
      className="grid gap-3 rounded-md bg-info-soft p-4 text-sm text-info"
    >
      <h2 id="demo-accounts" className="text-sm tracking-normal">
        Demo accounts
      </h2>
      <ul className="grid gap-3">
        {accounts.map(({ label, email, password }) => (
          <li key={email} className="flex items-center justify-between gap-3">
            <span className="min-w-0 break-words">
              <strong className="block">{label}</strong>
              {email}
              <br />
              {password}
            </span>
            <Button size="sm" variant="secondary" onClick={() => onUse({ email, password })}>
              Use<span className="sr-only"> {label}</span>
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
