import { useState } from 'react';
import { uploadedItem } from '../../../../shared/inventory.ts';
import { call } from '../../../lib/api-client.ts';
import { maxLengthOf } from '../../../lib/form-fields.ts';
import { Button } from '../../../ui/button.tsx';
import { Skeleton } from '../../../ui/card.tsx';
import { CopyButton } from '../../../ui/copy.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Form } from '../../../ui/form-page.tsx';
import { TextArea } from '../../../ui/text-fields.tsx';
import { useAction, useRequiredText } from '../action-dialog.tsx';
import { useAdminData } from '../admin-queries.ts';
import { Moment } from '../figures.tsx';
import { FreshCodeForm } from '../fresh-code-form.tsx';

/** Sets the text or link that every buyer of a shared product gets. Reading it requires a fresh two-factor code. */
export function SharedContentForm({ productId: id, onDone }: { productId: string; onDone?(): void }) {
  const content = useRequiredText('Please enter the content');
  const [isRevealing, setIsRevealing] = useState(false);
  const current = useAdminData(
    ['content', id],
    async () => (await call('GET /digital-products/:id/content', { params: { id } })).data,
    () => false,
  );
  const { run, ...form } = useAction({
    send: () => call('PUT /digital-products/:id/content', { params: { id }, body: { content: content.text } }),
    successMessage: 'The content is saved',
    errorMessage: 'The content could not be saved',
    onDone: () => {
      content.clear();
      onDone?.();
    },
  });
  function submit() {
    content.check();
    if (!content.isMissing) run();
  }
  return (
    <div className="grid gap-4">
      {current.isPending ? (
        <Skeleton className="h-12" />
      ) : current.data ? (
        <div className="flex flex-wrap items-center justify-between gap-3 rounded-md bg-sunken px-4 py-3">
          <p>
            Version {current.data.version}, since <Moment at={current.data.updatedAt} />
          </p>
          <Button variant="secondary" size="sm" onClick={() => setIsRevealing(true)}>
            Reveal
          </Button>
        </div>
      ) : (
        <p className="rounded-md bg-warning-soft px-4 py-3 text-warning">
          There is no content yet, so the product is out of stock.
        </p>
      )}
      <Form {...form} action="Save content" onSubmit={submit} isFilled={!content.isMissing}>
        <TextArea
          {...content.field}
          label={current.data ? 'New content' : 'Content'}
          rows={5}
          maxLength={maxLengthOf(uploadedItem)}
          autoComplete="off"
          spellCheck={false}
          hint="A text or a link that every buyer gets. Who bought before keeps what they have."
          className="font-mono text-sm"
        />
      </Form>
      <Dialog isOpen={isRevealing} onClose={() => setIsRevealing(false)} title="Reveal content">
        {isRevealing && <RevealContent productId={id} onClose={() => setIsRevealing(false)} />}
      </Dialog>
    </div>
  );
}

function RevealContent({ productId: id, onClose }: { productId: string; onClose(): void }) {
  const [content, setContent] = useState<string>();
  if (content === undefined) {
    return (
      <FreshCodeForm
        action="Reveal content"
        purpose="Reading the content"
        send={(body) => call('POST /digital-products/:id/content/reveal', { params: { id }, body })}
        onSent={({ data }) => setContent(data.content)}
        errorMessage="Failed to reveal the content"
        reasonHint="Kept as you write it: never write the content itself"
        onCancel={onClose}>
        <p>The content will be shown to you once. That you read it, when and why goes on record.</p>
      </FreshCodeForm>
    );
  }
  return (
    <>
      <output className="block rounded-md bg-sunken px-3.5 py-3 font-mono break-all whitespace-pre-wrap">
        {content}
      </output>
      <div className="flex flex-wrap justify-end gap-3">
        <CopyButton text={content} />
        <Button onClick={onClose}>Hide</Button>
      </div>
    </>
  );
}
