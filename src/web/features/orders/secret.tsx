import { Eye, EyeOff } from 'lucide-react';
import { useState } from 'react';
import { readAccount } from '../../../shared/account-lines.ts';
import { maskContent } from '../../../shared/masking.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy.tsx';

interface SecretProps {
  content: string;
  number: number;
}

/** A secret, masked until the buyer presses Show. An account then shows each of its fields. */
export function Secret({ content, number }: SecretProps) {
  const [shown, setShown] = useState(false);
  const account = readAccount(content);
  const actions = (
    <div className="flex gap-2">
      <Button icon={shown ? EyeOff : Eye} variant="secondary" onClick={() => setShown(!shown)}>
        {shown ? 'Hide' : 'Show'}
        <span className="sr-only">item {number}</span>
      </Button>
      <CopyButton text={content} label={`item ${number}`} />
    </div>
  );
  if (account && shown) {
    return (
      <div className="grid gap-3">
        <dl aria-live="polite" className="grid gap-3">
          {account.map(({ label, value }) => (
            <div key={label} className="grid gap-1">
              <dt className="text-sm font-semibold">{label}</dt>
              <dd className="flex flex-wrap items-center gap-3">
                <code className="min-h-11 min-w-0 flex-[1_1_12rem] content-center rounded-md bg-sunken px-3.5 py-2 font-mono break-all">
                  {value}
                </code>
                <CopyButton text={value} label={`${label.toLowerCase()} of item ${number}`} />
              </dd>
            </div>
          ))}
        </dl>
        {actions}
      </div>
    );
  }
  return (
    <div className="flex flex-wrap items-center gap-3">
      <code
        aria-live="polite"
        className="min-h-11 min-w-0 flex-[1_1_16rem] content-center rounded-md bg-sunken px-3.5 py-2 font-mono break-all whitespace-pre-wrap">
        {shown ? content : maskContent(content)}
      </code>
      {actions}
    </div>
  );
}
