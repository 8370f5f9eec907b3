import { type ComponentProps, type ReactNode, useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { CopyButton } from '../../../ui/copy.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { FreshCodeForm } from '../fresh-code-form.tsx';

type Revealed = { data: { content: string } };

interface RevealProps
  extends Pick<ComponentProps<typeof FreshCodeForm<Revealed>>, 'purpose' | 'send' | 'errorMessage' | 'reasonHint'> {
  /** Title of the dialog, and text of the submit button. */
  title: string;
  onClose(): void;
  /** Names the secret, as the subject of a sentence. */
  children: ReactNode;
}

/** Shows one secret to an administrator. Closing the dialog drops it. */
export const RevealDialog = ({ isOpen, ...props }: RevealProps & { isOpen: boolean }) => (
  <Dialog isOpen={isOpen} onClose={props.onClose} title={props.title}>
    {isOpen && <Reveal {...props} />}
  </Dialog>
);

// Focuses the button, because the form that had the focus is gone.
const takeFocus = (button: HTMLButtonElement | null) => button?.focus();

function Reveal({ title, onClose, children, ...form }: RevealProps) {
  const [content, setContent] = useState<string>();
  if (content === undefined) {
    return (
      <FreshCodeForm {...form} action={title} onSent={({ data }) => setContent(data.content)} onCancel={onClose}>
        <p>{children} will be shown to you once. That you read it, when and why goes on record.</p>
      </FreshCodeForm>
    );
  }
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
