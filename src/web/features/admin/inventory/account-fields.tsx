import { accountLabels } from '../../../../shared/account-lines.ts';
import { Field } from '../../../ui/input.tsx';

export const noAccount = { User: '', Password: '', Note: '' };

interface AccountFieldsProps {
  account: typeof noAccount;
  disabled: boolean;
  onChange(account: typeof noAccount): void;
}

/** The fields of an account, which its buyer copies one by one. */
export function AccountFields({ account, disabled, onChange }: AccountFieldsProps) {
  return (
    <details className="rounded-md border border-line px-4 py-3">
      <summary className="cursor-pointer font-semibold">Add an account</summary>
      <div className="grid gap-3 pt-3">
        {accountLabels.map((label) => (
          <Field
            key={label}
            label={label}
            optional={label === 'Note'}
            maxLength={1_000}
            value={account[label]}
            disabled={disabled}
            autoComplete="off"
            onChange={({ target }) => onChange({ ...account, [label]: target.value })}
          />
        ))}
        <p className="text-sm text-muted">One item with a line for each; its buyer sees them as fields.</p>
      </div>
    </details>
  );
}
