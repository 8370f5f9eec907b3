import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { useRef, useState } from 'react';
import { useForm } from 'react-hook-form';
import { v7 as uuidv7 } from 'uuid';
import type { PhysicalProduct } from '../../../../shared/admin-catalog.ts';
import { CallError, call, messageOf } from '../../../lib/api-client.ts';
import { bodyOf, emptyForm, formOf, type ProductForm, productForm } from './product-schema.ts';

const fields = Object.keys(emptyForm) as (keyof ProductForm)[];

/** The form of a new product, or of one as it was read; `onSaved` hears of it once it is stored. */
export function useProductForm(product: PhysicalProduct | null, onSaved: (saved: PhysicalProduct) => void) {
  const [problem, setProblem] = useState<string | null>(null);
  // Names what is added, so that sending it twice adds one.
  const [draft] = useState(() => uuidv7());
  // A name that another product has, and that is wanted all the same.
  const allowedName = useRef<string>(undefined);
  const [asksForName, setAsksForName] = useState(false);
  const [version, setVersion] = useState(product?.version);
  /** What others made of fields meanwhile that are typed in here. */
  const [meanwhile, setMeanwhile] = useState<Partial<ProductForm>>({});
  const form = useForm<ProductForm>({
    resolver: standardSchemaResolver(productForm),
    mode: 'onTouched',
    defaultValues: product ? formOf(product) : emptyForm,
  });
  const { isSubmitting, dirtyFields } = form.formState;

  async function save(typed: ProductForm) {
    const body = bodyOf(typed);
    const onSameName = typed.name === allowedName.current ? ('allow' as const) : ('ask' as const);
    if (!product) return (await call('POST /admin/products', { body: { ...body, draft, onSameName } })).data;
    // Only what was changed here: the rest may be someone else's.
    const changed = Object.entries(body).filter(([name]) => dirtyFields[name as keyof ProductForm]);
    const params = { id: product._id };
    const changes = { ...Object.fromEntries(changed), version, onSameName };
    return (await call('PUT /admin/products/:id', { params, body: changes })).data;
  }

  /** What was typed stays; the other fields, and what saving starts from, become as they are now. */
  async function takeUp(id: string) {
    const before = form.formState.defaultValues ?? {};
    const { data } = await call('GET /admin/products/:id', { params: { id } });
    const now = formOf(data);
    setMeanwhile(
      Object.fromEntries(
        fields.filter((name) => now[name] !== before[name]).map((name) => [name, now[name]]),
      ),
    );
    setVersion(data.version);
    form.reset(now, { keepDirtyValues: true });
  }

  const submit = form.handleSubmit(async (typed) => {
    if (isSubmitting) return;
    setProblem(null);
    setAsksForName(false);
    try {
      onSaved(await save(typed));
    } catch (failure) {
      const refused = fields.find((name) => failure instanceof CallError && failure.field === name);
      const message = messageOf(failure, `Failed to ${product ? 'update' : 'create'} product`);
      if (refused) return form.setError(refused, { message }, { shouldFocus: true });
      setAsksForName(failure instanceof CallError && failure.code === 'SAME_NAME');
      const isConflict = failure instanceof CallError && failure.code === 'EDIT_CONFLICT';
      if (!isConflict || !product) return setProblem(message);
      await takeUp(product._id).catch(() => undefined);
      setProblem(
        'Someone else changed this product while you were editing it. What you typed is still here, the rest is as they left it. Look it over and save again.',
      );
    }
  });

  function insistOnName() {
    allowedName.current = form.getValues('name').trim();
    void submit();
  }

  return { form, submit: () => void submit(), isSubmitting, problem, asksForName, insistOnName, meanwhile };
}
