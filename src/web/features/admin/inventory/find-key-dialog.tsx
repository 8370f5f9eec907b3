import { useMutation } from '@tanstack/react-query';
import type { FoundItem } from '../../../../shared/inventory.ts';
import { orderNumber } from '../../../../shared/order-words.ts';
import { call, messageOf } from '../../../lib/api-client.ts';
import { Moment } from '../../../lib/moment.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Form, TextLink } from '../../../ui/form-page.tsx';
import { Field } from '../../../ui/input.tsx';
import { useRequiredText } from '../action-dialog.tsx';
import { Facts } from '../figures.tsx';
import { ItemStateBadge } from './item-row.tsx';

interface FindKeyDialogProps {
  isOpen: boolean;
  onClose(): void;
}

/** Finds the item whose content is exactly the given key, in any product and state. */
export function FindKeyDialog({ isOpen, onClose }: FindKeyDialogProps) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title="Find a key">
      {isOpen && <FindKey onClose={onClose} />}
    </Dialog>
  );
}

function FindKey({ onClose }: Pick<FindKeyDialogProps, 'onClose'>) {
  const { text: content, check, field } = useRequiredText('Please enter a key');
  const search = useMutation({
    mutationFn: async () => (await call('POST /admin/inventory/search', { body: { content } })).data.item,
  });
  function submit() {
    if (check()) search.mutate();
  }
  return (
    <>
      <Form
        layout="dialog"
        action="Find"
        isBusy={search.isPending}
        problem={search.isError ? messageOf(search.error, 'The search failed') : null}
        onSubmit={submit}>
        <Field
          {...field}
          label="Key"
          hint="The whole key, as it was uploaded. The search goes on record; the key does not."
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={4_000}
          onChange={(event) => {
            field.onChange(event);
            search.reset();
          }}
        />
      </Form>
      <div aria-live="polite" className="empty:hidden">
        {search.data === null && <p className="font-semibold">The shop does not have this key.</p>}
        {search.data && <Found item={search.data} onLeave={onClose} />}
      </div>
    </>
  );
}

function Found({ item, onLeave }: { item: FoundItem; onLeave(): void }) {
  const { masked, state, product, order, addedAt } = item;
  return (
    <section aria-label="The key" className="grid gap-3 rounded-md border border-line p-4">
      <p className="flex flex-wrap items-center gap-3">
        <code className="min-w-0 flex-1 font-mono text-sm break-all">{masked}</code>
        <ItemStateBadge state={state} />
      </p>
      <Facts
        facts={{
          Product: (
            <TextLink to={`/admin?tab=digital&dialog=stock&product=${product._id}`} onClick={onLeave}>
              {product.name}
            </TextLink>
          ),
          Order: order && <TextLink to={`/admin/orders/${order}`}>#{orderNumber(order)}</TextLink>,
          Added: <Moment at={addedAt} />,
        }}
      />
    </section>
  );
}
