import { useState } from 'react';
import { call } from '../../../lib/api-client.ts';
import { Moment } from '../../../lib/moment.tsx';
import { Callout } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Skeleton } from '../../../ui/card.tsx';
import { Form } from '../../../ui/form-page.tsx';
import { LoadFailureBanner } from '../../../ui/loading.tsx';
import { useAction, useRequiredText, useSeenVersion } from '../action-dialog.tsx';
import { useAdminData } from '../admin-queries.ts';
import { RevealDialog } from '../fresh-code-form.tsx';
import { ItemField } from './item-row.tsx';

/** Sets the text or link that every buyer of a shared product gets. Reading it requires a fresh two-factor code. */
export function SharedContentForm({ productId: id, onDone }: { productId: string; onDone?(): void }) {
  const content = useRequiredText('Please enter the content');
  const [isRevealing, setIsRevealing] = useState(false);
  const current = useAdminData(
    ['content', id],
    async () => (await call('GET /digital-products/:id/content', { params: { id } })).data,
  );
  const { version, onFailure, saved } = useSeenVersion(current.data === null ? 0 : current.data?.version);
  const { run, ...form } = useAction({
    check: content.check,
    send: () => call('PUT /digital-products/:id/content', { params: { id }, body: { content: content.text, version } }),
    successMessage: 'The content is saved',
    errorMessage: 'The content could not be saved',
    onFailure,
    onDone: () => {
      content.clear();
      saved();
      onDone?.();
    },
  });
  return (
    <div className="grid gap-4">
      {current.isPending ? (
        <Skeleton className="h-12" />
      ) : current.isLoadingError ? (
        <LoadFailureBanner message="Failed to load the content" query={current} />
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
        <Callout tone="warning">There is no content yet, so the product is out of stock.</Callout>
      )}
      <Form {...form} action="Save content" onSubmit={run} focused isFilled={!content.isMissing}>
        <ItemField
          {...content.field}
          label={current.data ? 'New content' : 'Content'}
          rows={5}
          hint="A text or a link that every buyer gets. Earlier buyers keep what they have."
        />
      </Form>
      <RevealDialog
        title="Reveal content"
        isOpen={isRevealing}
        purpose="Reading the content"
        send={(body) => call('POST /digital-products/:id/content/reveal', { params: { id }, body })}
        errorMessage="Failed to reveal the content"
        reasonHint="Stored as you write it. Do not include the content itself."
        onClose={() => setIsRevealing(false)}>
        The content
      </RevealDialog>
    </div>
  );
}
