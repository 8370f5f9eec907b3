import { useRef, useState } from 'react';
import { type FieldErrors, type FieldPath, get, type Resolver, set } from 'react-hook-form';
import { v7 as uuidv7 } from 'uuid';
import { CallError, messageOf } from '../../../lib/api-client.ts';
import { isKept, type KeptForm, useKeptBase, useKeptForm } from '../../../lib/forms.ts';
import { isAnswerLost, useIsShown } from '../../../state/answers.ts';
import { useToasts } from '../../../state/toasts.tsx';
import { Button } from '../../../ui/button.tsx';
import { useDialog } from '../../../ui/dialog.tsx';
import { Callout } from '../../../ui/display.tsx';
import { useKeepAs } from '../action-dialog.tsx';
import { useReloadDashboard } from '../dashboard.ts';
import { fillIn, type KindOfProduct, type TextField } from './product-kinds.tsx';
import { type AdminProduct, bodyOf, type ProductValues, stockOf, valuesOf } from './product-values.ts';

export interface ProductFormOptions<Product extends AdminProduct> {
  kind: KindOfProduct<Product>;
  product?: Product | undefined;
  onSaved(saved: Product): void;
}

interface Problem {
  message: string;
  code?: CallError['code'] | undefined;
}

export function useProductForm<Product extends AdminProduct>({ kind, product, onSaved }: ProductFormOptions<Product>) {
  const { show } = useToasts();
  const isShown = useIsShown();
  const reload = useReloadDashboard();
  const keepAs = useKeepAs('product', product?._id ?? `new ${kind.name}`);
  const [isRestored] = useState(() => isKept(keepAs));
  // A dialog asks before it closes.
  const isPage = useDialog() === null;
  // The product that filled the inputs. A reload of the dashboard does not change it, nor does a return to kept inputs.
  const [original, setOriginal] = useKeptBase(keepAs, product, isPage);
  // The same for every attempt, so that a retry after a lost response creates no second product.
  const [idempotencyKey] = useState(() => uuidv7());
  const [problem, setProblem] = useState<Problem>();
  // The number of running uploads. Saving waits for them, because a picture has no URL until it is uploaded.
  const [uploads, setUploads] = useState(0);
  // A name that another product has, and that the administrator has confirmed.
  const allowedName = useRef<string>(undefined);
  const saving = product ? kind.update : kind.create;
  const isField = (name: string | undefined) => kind.fields.some((field) => field === name);

  const options = {
    defaultValues: original ? valuesOf(original) : kind.emptyValues,
    resolver: productResolver(saving, (values) => ({
      ...Object.fromEntries(Object.entries(bodyOf(values, original)).filter(([name]) => isField(name))),
      draft: idempotencyKey,
      version: original?.version,
      stockWas: original && stockOf(original),
      onSameName: values.name === allowedName.current ? 'allow' : 'ask',
    })),
  };
  const form = useKeptForm<ProductValues, object>(keepAs, options, isPage);
  // Read during rendering: react-hook-form updates only what is read. A submit sees the values from before it started.
  const { isSubmitting, dirtyFields } = form.formState;
  const isDirty = (name: string) => JSON.stringify(get(dirtyFields, name) ?? '').includes('true');
  const { newer, wasAnswerLost, loadNewer, savedMeanwhile } = useNewerVersion<Product>(kind, form, {
    isDirty,
    setOriginal,
  });

  async function save(body: object) {
    if (isSubmitting) return;
    setProblem(undefined);
    // An edit sends only the changed fields, because an order may have changed the stock meanwhile. A typed stock is
    // sent together with the stock that the form showed, so that the server adds the difference to the current stock.
    const sent = Object.entries(body).filter(([name]) => !original || !isField(name) || isDirty(name));
    try {
      const { data } = await saving.send(Object.fromEntries(sent), original?._id ?? '');
      form.forget();
      show({ type: 'success', message: `"${data.name}" has been ${saving.done}` });
      if (isShown.current) onSaved(data);
      void reload();
    } catch (failure) {
      const { code, field }: Partial<CallError> = failure instanceof CallError ? failure : {};
      const message = messageOf(failure, `Failed to ${product ? 'update' : 'create'} product`);
      if (isField(field?.split('.')[0])) {
        form.setError(field as FieldPath<ProductValues>, { message }, { shouldFocus: true });
      } else if (code === 'EDIT_CONFLICT' && original) {
        const told = await loadNewer(original).catch((reason: unknown) => messageOf(reason, 'Product not found'));
        setProblem({ message: told });
      } else {
        wasAnswerLost.current ||= isAnswerLost(failure);
        setProblem({ message, code });
        // The product may have been saved nevertheless, if this or an earlier response was lost.
        void reload();
      }
    }
  }

  const submit = form.handleSubmit(save, (errors) => {
    const message = isMissing(errors) ? saving.missingMessage : undefined;
    setProblem(message === undefined ? undefined : { message });
  });

  return {
    form,
    original,
    problem,
    /** Whether the inputs show what was typed earlier and is not saved yet. */
    isRestored: isRestored && form.formState.isDirty,
    isSubmitting,
    isUploading: uploads > 0,
    setUploads,
    newer,
    submit: () => void submit(),
    allowName() {
      allowedName.current = form.getValues('name');
    },
    savedMeanwhile,
  };
}

const SAVED_BEFORE = 'Your first try, whose answer was lost, may have saved this product.';

/** The version of the product that somebody else saved meanwhile. `isDirty` tells whether a field was changed here. */
function useNewerVersion<Product extends AdminProduct>(
  kind: KindOfProduct<Product>,
  form: KeptForm<ProductValues, object>,
  { isDirty, setOriginal }: { isDirty(name: string): boolean; setOriginal(product: Product): void },
) {
  const [newer, setNewer] = useState<{ values: ProductValues; changed: string[]; kept: string[] }>();
  const wasAnswerLost = useRef(false);

  /** Rebases the edit on that version. Inputs that were changed here keep their values. Returns what to tell. */
  async function loadNewer(before: Product): Promise<string> {
    const { data } = await kind.read(before._id);
    const [old, values] = [valuesOf(before), valuesOf(data)];
    const changed = kind.fields.filter((name) => JSON.stringify(old[name]) !== JSON.stringify(values[name]));
    setOriginal(data);
    form.reset(values, { keepDirtyValues: true });
    setNewer({ values, changed, kept: changed.filter(isDirty) });
    // The shop itself recognises a repeated save, except of a stock. A save from here changes only what is typed here.
    const change = changeOf(before, data);
    const mayBeOwn = wasAnswerLost.current && change !== 'deleted' && changed.every(isDirty);
    wasAnswerLost.current = false;
    return mayBeOwn ? SAVED_BEFORE : `Someone else ${change} this product meanwhile.`;
  }

  /** Returns the hint of a field that was changed both here and in the newer version. `none` names an empty value. */
  const savedMeanwhile = (name: string, none = '(empty)') =>
    newer?.changed.includes(name) && isDirty(name) ? `Saved meanwhile: ${get(newer.values, name) || none}` : undefined;

  return { newer, wasAnswerLost, loadNewer, savedMeanwhile };
}

export type ProductFormState = ReturnType<typeof useProductForm>;

function changeOf(before: AdminProduct, now: AdminProduct): string {
  if (before.deletedAt === null && now.deletedAt !== null) return 'deleted';
  return before.isActive && !now.isActive ? 'deactivated' : 'changed';
}

/** Turns a field's name into a label, e.g. `flashSale` into "Flash sale". */
const labelOf = (name: string) =>
  name.replace(/^./, (c) => c.toUpperCase()).replace(/(?<=.)[A-Z]/g, (c) => ` ${c.toLowerCase()}`);

// The message appears above the button that was pressed, and would move it out of sight.
const showToButton = (message: HTMLElement | null) => message?.closest('form')?.scrollIntoView({ block: 'end' });

export function Remedy({ product }: { product: ProductFormState }) {
  const { problem, newer } = product;
  const named = (names: string[]) => names.map(labelOf).join(', ');
  return (
    <>
      {problem?.code === 'SAME_NAME' && (
        <Button
          ref={showToButton}
          variant="secondary"
          disabled={product.isUploading}
          onClick={({ currentTarget }) => {
            product.allowName();
            currentTarget.form?.requestSubmit();
          }}
          className="justify-self-start">
          Use this name anyway
        </Button>
      )}
      {newer && (
        <Callout ref={showToButton} role="status" tone="info">
          {newer.changed.length > 0 && `Changed meanwhile: ${named(newer.changed)}. `}
          {newer.kept.length > 0 && `You changed this, too, and yours is kept: ${named(newer.kept)}. `}
          What you typed is still here. Please look at it once more and save.
        </Callout>
      )}
    </>
  );
}

const REQUIRED = 'required';

const isMissing = (errors: FieldErrors<ProductValues>) =>
  Object.values(errors).some((error) => error.type === REQUIRED);

const sentences: Record<string, string> = { 'Invalid input': 'Please check this field', 'is required': fillIn };

const asSentence = (message: string) => sentences[message] ?? message.replace(/^./, (c) => c.toUpperCase());

/** Checks required fields with the kind's own messages, and then the whole body by the API contract. */
function productResolver(
  { schema, missing }: KindOfProduct<AdminProduct>['create'],
  toBody: (values: ProductValues) => object,
): Resolver<ProductValues, unknown, object> {
  return (values) => {
    const errors: FieldErrors<ProductValues> = {};
    for (const [name, message] of Object.entries(missing) as [TextField, string][]) {
      if (values[name].trim() === '') errors[name] = { type: REQUIRED, message };
    }
    const checked = schema.safeParse(toBody(values));
    if (checked.success && Object.keys(errors).length === 0) return { values: checked.data, errors: {} };
    for (const { path, message } of checked.error?.issues ?? []) {
      const name = path.join('.');
      if (get(errors, name) === undefined) set(errors, name, { type: 'refused', message: asSentence(message) });
    }
    return { values: {}, errors };
  };
}
