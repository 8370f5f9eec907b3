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

interface RevealProps extends ItemDialogProps {
  item: InventoryItem;
}

function Reveal(props: RevealProps) {
  const [content, setContent] = useState<string>();
  const { data: twoFactor } = useTwoFactorStatus();
  if (content !== undefined) return <Revealed content={content} onClose={props.onClose} />;
  if (twoFactor?.enabled === false) return <SetUpFirst />;
  return <RevealForm {...props} onRevealed={setContent} />;
}

function SetUpFirst() {
  return (
    <>
      <p>Reading an item needs a code of your authenticator app. Two-factor authentication is not set up yet.</p>
      <Link to="/2fa-setup" className={buttonClass('primary', 'md', 'justify-self-end')}>
        Set up 2FA
      </Link>
    </>
  );
}

interface RevealFormProps extends RevealProps {
  onRevealed(content: string): void;
}

function RevealForm({ productId, item, onClose, onRevealed }: RevealFormProps) {
  const { reason, isMissing, check, field } = useReason();
  const { code, refuse, otp } = useOtp();
  const [isChecked, setIsChecked] = useState(false);
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState<{ code: string; message: string }>();
  const isComplete = code.length === TWO_FACTOR_CODE_LENGTH;
  const isWrongCode = problem?.code === 'INVALID_CODE';

  async function submit() {
    check();
    setIsChecked(true);
    setProblem(undefined);
    if (isBusy || isMissing || !isComplete) return;
    setIsBusy(true);
    try {
      const params = { id: productId, itemId: item._id };
      onRevealed(
        (await call('POST /digital-products/:id/inventory/:itemId/reveal', { params, body: { reason, code } })).data
          .content,
      );
    } catch (failure) {
      const errorCode = failure instanceof CallError ? failure.code : '';
      setProblem({ code: errorCode, message: messageOf(failure, 'Failed to reveal the item') });
      if (errorCode === 'INVALID_CODE') {
        refuse();
        setIsChecked(false);
      }
    } finally {
      setIsBusy(false);
    }
  }

  const codeProblem = isChecked && !isComplete ? 'Please enter a 6-digit code' : undefined;
  return (
    <ActionForm
      action="Reveal item"
      isBusy={isBusy}
      problem={problem && !isWrongCode ? problem.message : null}
      onSubmit={() => void submit()}
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
        isChecking={isBusy}
        hint="Of your authenticator app; each code counts once"
        error={isWrongCode ? problem.message : codeProblem}
      />
    </ActionForm>
  );
}

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
