import { useMutation } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react';
import { formatCount, orderNumber, plural } from '../../../../shared/format.ts';
import { type FoundItem, MAX_ITEM_LENGTH } from '../../../../shared/inventory.ts';
import type { AdminDigitalProduct } from '../../../../shared/products.ts';
import { call, messageOf } from '../../../lib/api-client.ts';
import { Moment } from '../../../lib/moment.tsx';
import { messageOfRead } from '../../../state/answers.ts';
import { useToasts } from '../../../state/toasts.tsx';
import { Button } from '../../../ui/button.tsx';
import { Dialog, useDialog } from '../../../ui/dialog.tsx';
import { Form, TextLink } from '../../../ui/form-page.tsx';
import { Field } from '../../../ui/input.tsx';
import { useRequiredText } from '../action-dialog.tsx';
import { Facts } from '../admin-page.tsx';
import { useDashboardUrl } from '../dashboard.ts';
import { InventoryUpload, SharedContentForm } from '../inventory/inventory-upload.tsx';
import { ItemStateBadge } from '../inventory/items.tsx';
import { ProductFiles } from '../inventory/product-files.tsx';
import { Stock } from '../inventory/stock.tsx';
import { ProductForm } from './product-form.tsx';
import { productKinds, useProduct } from './product-kinds.tsx';

const formProps = { kind: productKinds.digital, focused: true };
const formClass = 'w-[min(42rem,calc(100vw-2rem))]! scroll-pt-12';

export function DigitalProductDialogs() {
  const { get, set } = useDashboardUrl();
  const { show } = useToasts();
  const dialog = get('dialog');
  const id = dialog === 'edit' || dialog === 'stock' ? get('product') : '';
  const { data: product, error, isLoadingError } = useProduct(productKinds.digital, id);
  const close = () => set({ dialog: '', product: '' });
  // The list shows a draft only if it shows all inactive products.
  const showAll = () => set({ show: 'all' });
  const refuse = useEffectEvent(() => {
    show({ type: 'error', message: messageOfRead(error, 'Product', 'Product not found') });
    close();
  });
  useEffect(() => {
    if (isLoadingError) refuse();
  }, [isLoadingError]);
  const edited = dialog === 'edit' ? product : undefined;
  const stocked = dialog === 'stock' ? product : undefined;
  return (
    <>
      <Dialog isOpen={dialog === 'add'} onClose={close} title="Add Digital Product" className={formClass}>
        <Steps onDrafted={showAll} onClose={close} />
      </Dialog>
      <Dialog isOpen={edited !== undefined} onClose={close} title="Edit Product" className={formClass}>
        {edited && (
          <ProductForm
            {...formProps}
            key={edited._id}
            action="Save Changes"
            product={edited}
            onSaved={close}
            onCancel={close}
          />
        )}
      </Dialog>
      <Dialog
        isOpen={stocked !== undefined}
        onClose={close}
        title="Manage Inventory"
        className="min-w-[min(42rem,calc(100vw-2rem))]">
        {stocked && (stocked.delivery === 'file' ? <ProductFiles product={stocked} /> : <Stock product={stocked} />)}
      </Dialog>
    </>
  );
}

function Steps({ onDrafted, onClose }: { onDrafted(): void; onClose(): void }) {
  const [created, setCreated] = useState<AdminDigitalProduct>();
  const dialog = useDialog();
  const step2 = useRef<HTMLParagraphElement>(null);
  // The dialog is still scrolled to the button of step 1.
  useLayoutEffect(() => {
    if (created) step2.current?.closest('dialog')?.scrollTo(0, 0);
  }, [created]);
  function proceed(product: AdminDigitalProduct) {
    setCreated(product);
    if (product.isDraft) onDrafted();
  }
  if (!created) {
    return (
      <>
        <p className="text-sm text-muted">Step 1 of 2: product details</p>
        <ProductForm<AdminDigitalProduct> {...formProps} action="Create Product" onSaved={proceed} onCancel={onClose} />
      </>
    );
  }
  const { delivery, _id: productId } = created;
  const step = {
    unique: {
      title: 'add inventory',
      content: (
        <InventoryUpload productId={productId} emptyMessage="Please add at least one inventory item" onDone={onClose} />
      ),
    },
    shared: { title: 'what every buyer gets', content: <SharedContentForm productId={productId} onDone={onClose} /> },
    file: { title: 'the file to download', content: <ProductFiles product={created} onDone={onClose} /> },
    manual: { title: 'delivered by you', content: <ManualDelivery product={created} /> },
  }[delivery];
  return (
    <>
      <p ref={step2} className="text-sm text-muted">
        Step 2 of 2: {step.title}
      </p>
      {delivery !== 'file' && <h3 className="text-lg wrap-anywhere">{created.name}</h3>}
      {(delivery === 'shared' || delivery === 'manual') && <UnitLimit units={created.unitsLeft} />}
      {step.content}
      {delivery === 'manual' ? (
        <Button onClick={onClose} className="justify-self-end">
          Done
        </Button>
      ) : (
        <Button variant="quiet" onClick={() => dialog?.leave(onClose)} className="justify-self-end">
          Skip for now
        </Button>
      )}
    </>
  );
}

const UnitLimit = ({ units }: { units: number | null }) => (
  <p className="text-muted">
    {units === null ? 'There is no limit of units.' : `${formatCount(units)} ${plural(units, 'unit')} can be sold.`}{' '}
    Edit changes that.
  </p>
);

const ManualDelivery = ({ product: { buyerFields } }: { product: AdminDigitalProduct }) => (
  <>
    <p>There is nothing to add. You type what is delivered on the page of each order; until then it is Processing.</p>
    {buyerFields.length > 0 && (
      <p className="wrap-anywhere">
        The checkout asks for: <strong>{buyerFields.map(({ label }) => label).join(', ')}</strong>
      </p>
    )}
  </>
);

/** Finds the item whose content is exactly the given key, in any product and state. */
export function FindKey({ onClose }: { onClose(): void }) {
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
        action="Find"
        onCancel={onClose}
        isBusy={search.isPending}
        problem={search.isError ? messageOf(search.error, 'The search failed') : null}
        focused
        onSubmit={submit}>
        <Field
          {...field}
          label="Key"
          hint="The whole key, as it was uploaded. The search goes on record; the key does not."
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={MAX_ITEM_LENGTH}
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
