import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import type { InventoryItem } from '../../../../shared/inventory.ts';
import { TWO_FACTOR_CODE_LENGTH } from '../../../../shared/two-factor.ts';
import { CallError, call, messageOf } from '../../../lib/api-client.ts';
import { useTwoFactorStatus } from '../../../state/account-status.ts';
import { Button, buttonClass } from '../../../ui/button.tsx';
import { CopyButton } from '../../../ui/copy.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { OtpField, useOtp } from '../../../ui/otp-field.tsx';
import { ActionDialog, ActionForm, ReasonField, useReason } from '../action-form.tsx';

interface ItemDialogProps {
  productId: string;
  /** Undefined closes the dialog. */
  item: InventoryItem | undefined;
  onClose(): void;
}

export function VoidDialog({ productId, item, onClose }: ItemDialogProps) {
  return (
    <ActionDialog
      title="Void this item?"
      action="Void item"
      isOpen={item !== undefined}
      send={(reason) =>
        call('POST /digital-products/:id/inventory/:itemId/void', {
          params: { id: productId, itemId: item?._id ?? '' },
          body: { reason },
        })
      }
      successMessage="The item is voided"
      errorMessage="Failed to void the item"
      onClose={onClose}>
      <p>
        <code className="font-mono break-all">{item?.masked}</code> will never be sold. The reason is kept with it; do
        not write the secret into it.
      </p>
    </ActionDialog>
  );
}

/** Shows one secret to an administrator. Closing the dialog drops it. */
export function RevealDialog(props: ItemDialogProps) {
  return (
    <Dialog isOpen={props.item !== undefined} onClose={props.onClose} title="Reveal item">
      {props.item && <Reveal {...props} item={props.item} />}
    </Dialog>
  );
}

function Reveal({ productId, item, onClose }: ItemDialogProps & { item: InventoryItem }) {
  const { data: twoFactor } = useTwoFactorStatus();
  const { reason, isMissing, check, field } = useReason();
  const { code, refuse, otp } = useOtp();
  const [isChecked, setIsChecked] = useState(false);
  const isComplete = code.length === TWO_FACTOR_CODE_LENGTH;
  const reveal = useMutation({
    mutationFn: () =>
      call('POST /digital-products/:id/inventory/:itemId/reveal', {
        params: { id: productId, itemId: item._id },
        body: { reason, code },
      }),
    onError: (failure) => {
      if (!isWrongCode(failure)) return;
      refuse();
      setIsChecked(false);
    },
    // The secret leaves the memory with the dialog.
    gcTime: 0,
  });
  if (reveal.data) return <Revealed content={reveal.data.data.content} onClose={onClose} />;
  if (twoFactor?.enabled === false) {
    return (
      <>
        <p>Reading an item needs a code of your authenticator app. Two-factor authentication is not set up yet.</p>
        <Link to="/2fa-setup" className={buttonClass('primary', 'md', 'justify-self-end')}>
          Set up 2FA
        </Link>
      </>
    );
  }

  function submit() {
    check();
    setIsChecked(true);
    reveal.reset();
    if (!isMissing && isComplete) reveal.mutate();
  }

  const problem = reveal.error && messageOf(reveal.error, 'Failed to reveal the item');
  const codeProblem = isChecked && !isComplete ? 'Please enter a 6-digit code' : undefined;
  const isRefused = isWrongCode(reveal.error);
  return (
    <ActionForm
      action="Reveal item"
      isBusy={reveal.isPending}
      problem={!isRefused && problem}
      onSubmit={submit}
      onCancel={onClose}
      isFilled={!isMissing}>
      <p>
        <code className="font-mono break-all">{item.masked}</code> will be shown to you once. That you read it, when and
        why goes on record.
      </p>
      <ReasonField first hint="Kept as you write it: never write the secret itself" {...field} />
      <OtpField
        {...otp}
        label="Authentication code"
        length={TWO_FACTOR_CODE_LENGTH}
        isChecking={reveal.isPending}
        hint="Of your authenticator app; each code counts once"
        error={isRefused && problem !== null ? problem : codeProblem}
      />
    </ActionForm>
  );
}

const isWrongCode = (failure: unknown) => failure instanceof CallError && failure.code === 'INVALID_CODE';

// The form that had the focus is gone.
const takeFocus = (button: HTMLButtonElement | null) => button?.focus();

function Revealed({ content, onClose }: { content: string; onClose(): void }) {
  return (
    <>
      <output className="block rounded-md bg-sunken px-3.5 py-3 font-mono break-all whitespace-pre-wrap">
        {content}
      </output>
      <div className="flex flex-wrap justify-end gap-3">
        <CopyButton ref={takeFocus} text={content} />
        <Button onClick={onClose}>Hide</Button>
      </div>
    </>
  );
}
