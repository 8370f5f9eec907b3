import { useState } from 'react';
import type { InventoryItem } from '../../../../shared/inventory.ts';
import { TWO_FACTOR_CODE_LENGTH } from '../../../../shared/two-factor.ts';
import { call, codeOf } from '../../../lib/api-client.ts';
import { useCodeCheck } from '../../../lib/use-code-check.ts';
import { useTwoFactorStatus } from '../../../state/account-status.ts';
import { Button, ButtonLink } from '../../../ui/button.tsx';
import { CopyButton } from '../../../ui/copy.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Form } from '../../../ui/form-page.tsx';
import { OtpField } from '../../../ui/otp-field.tsx';
import { ActionDialog, useReason } from '../action-dialog.tsx';

export interface ItemDialogProps {
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
        <code className="font-mono break-all">{item?.masked}</code> is taken off sale, which can be undone unless
        somebody has read it. The reason is kept with it; do not write the secret into it.
      </p>
    </ActionDialog>
  );
}

export function RestoreDialog({ productId, item, onClose }: ItemDialogProps) {
  return (
    <ActionDialog
      title="Put this item on sale again?"
      action="Put on sale"
      danger={false}
      isOpen={item !== undefined}
      send={(reason) =>
        call('POST /digital-products/:id/inventory/:itemId/restore', {
          params: { id: productId, itemId: item?._id ?? '' },
          body: { reason },
        })
      }
      successMessage="The item is on sale again"
      errorMessage="Failed to put the item on sale again"
      onClose={onClose}>
      <p>
        Nobody has read <code className="font-mono break-all">{item?.masked}</code>, so another buyer can have it. That
        you put it on sale again, when and why goes on record.
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

// The form that had the focus is gone.
const takeFocus = (button: HTMLButtonElement | null) => button?.focus();

function Reveal({ productId, item, onClose }: ItemDialogProps & { item: InventoryItem }) {
  const { data: twoFactor } = useTwoFactorStatus();
  const { reason, isMissing, check, field } = useReason('Kept as you write it: never write the secret itself');
  const [isChecked, setIsChecked] = useState(false);
  const [content, setContent] = useState<string>();
  const codeCheck = useCodeCheck({
    check: (code) =>
      call('POST /digital-products/:id/inventory/:itemId/reveal', {
        params: { id: productId, itemId: item._id },
        body: { reason, code },
      }),
    onChecked: ({ data }) => setContent(data.content),
    onFailure: () => setIsChecked(false),
    errorMessage: 'Failed to reveal the item',
  });
  if (content !== undefined) {
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
  if (twoFactor?.enabled === false) {
    return (
      <>
        <p>Reading an item needs a code of your authenticator app. Two-factor authentication is not set up yet.</p>
        <ButtonLink to="/2fa-setup" className="justify-self-end">
          Set up 2FA
        </ButtonLink>
      </>
    );
  }

  const isComplete = codeCheck.code.length === TWO_FACTOR_CODE_LENGTH;
  function submit() {
    check();
    setIsChecked(true);
    if (!isMissing && isComplete) codeCheck.form.onSubmit();
  }
  // The reason is needed, too: the last digit does not send the form.
  const { onComplete: _, error, ...otp } = codeCheck.field;
  const isWrongCode = codeOf(codeCheck.failure) === 'INVALID_CODE';
  return (
    <Form
      action="Reveal item"
      isBusy={otp.isChecking}
      problem={!isWrongCode && error}
      onSubmit={submit}
      onCancel={onClose}
      focused
      isFilled={!isMissing}>
      <p>
        <code className="font-mono break-all">{item.masked}</code> will be shown to you once. That you read it, when and
        why goes on record.
      </p>
      {field}
      <OtpField
        {...otp}
        label="Authentication code"
        length={TWO_FACTOR_CODE_LENGTH}
        hint="Of your authenticator app; each code counts once"
        error={isChecked && !isComplete ? 'Please enter a 6-digit code' : isWrongCode ? error : undefined}
      />
    </Form>
  );
}
