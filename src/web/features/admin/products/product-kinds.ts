import { useQuery } from '@tanstack/react-query';
import type * as z from 'zod/mini';
import type { ProductKind } from '../../../../shared/catalog.ts';
import {
  type AdminDigitalProduct,
  type AdminPhysicalProduct,
  type CreateDigitalProduct,
  type CreatePhysicalProduct,
  createDigitalProductBody,
  createPhysicalProductBody,
  type UpdateDigitalProduct,
  type UpdatePhysicalProduct,
  updateDigitalProductBody,
  updatePhysicalProductBody,
} from '../../../../shared/products.ts';
import { call } from '../../../lib/api-client.ts';
import { ADMIN } from '../dashboard.ts';
import { type AdminProduct, emptyValues, type ProductValues } from './product-values.ts';

export type TextField = 'name' | 'description' | 'category' | 'image' | 'price' | 'stock';

interface Saving<Product> {
  schema: z.ZodMiniType<object>;
  /** `body` is what `schema` returned. */
  send(body: object, id: string): Promise<{ data: Product }>;
  missing: Partial<Record<TextField, string>>;
  /** Shown for the whole form when a required field is empty. */
  missingMessage?: string;
  /** Past participle for the success message, as in `"Mug" has been created`. */
  done: string;
}

/** The differences between the two kinds of products: calls, fields, words and the behaviour of the form. */
export interface KindOfProduct<Product extends AdminProduct> {
  name: ProductKind;
  fields: readonly (keyof ProductValues)[];
  emptyValues: ProductValues;
  /** Patterns that a text must match, besides the checks of the API contract. */
  formats: { [Name in TextField]?: [pattern: RegExp, message: string] };
  mode: 'onSubmit' | 'onTouched';
  create: Saving<Product>;
  update: Saving<Product>;
  /** Whether the newer version is loaded right after an edit conflict, or when the administrator asks for it. */
  loadsNewer: 'at once' | 'when asked';
  read(id: string): Promise<{ data: Product }>;
  remove(id: string): Promise<unknown>;
}

const fillIn = 'Please fill in this field';
const physicalMissing = {
  name: 'Please enter a name',
  category: 'Please enter a category',
  image: 'Please give an image',
  price: 'Please enter a price',
  stock: 'Please enter how many there are',
};
/** The inputs for the fields of these bodies. */
const inputsOf = (...bodies: z.ZodMiniObject[]) =>
  (Object.keys(emptyValues) as (keyof ProductValues)[]).filter((name) => bodies.some(({ shape }) => name in shape));

const digital: KindOfProduct<AdminDigitalProduct> = {
  name: 'digital',
  fields: inputsOf(createDigitalProductBody, updateDigitalProductBody),
  emptyValues: { ...emptyValues, category: 'Game Keys', delivery: 'unique' },
  formats: {},
  mode: 'onSubmit',
  create: {
    schema: createDigitalProductBody,
    send: (body: CreateDigitalProduct) => call('POST /digital-products', { body }),
    missing: { name: fillIn, description: fillIn, price: fillIn, image: fillIn },
    missingMessage: 'Please fill in all required fields',
    done: 'created',
  },
  update: {
    schema: updateDigitalProductBody,
    send: (body: UpdateDigitalProduct, id) => call('PUT /digital-products/:id', { params: { id }, body }),
    missing: { name: fillIn, price: fillIn },
    missingMessage: 'Name and price are required',
    done: 'updated',
  },
  loadsNewer: 'when asked',
  read: (id) => call('GET /admin/digital-products/:id', { params: { id } }),
  remove: (id) => call('DELETE /digital-products/:id', { params: { id } }),
};

const physical: KindOfProduct<AdminPhysicalProduct> = {
  name: 'physical',
  fields: inputsOf(createPhysicalProductBody, updatePhysicalProductBody),
  emptyValues,
  formats: {
    price: [/^-?\d{1,7}(\.\d{1,2})?$/, 'Please enter a price in dollars and cents, as in 12.50'],
    stock: [/^(\d{1,6}|1000000)$/, 'Please enter a whole number from 0 to 1000000'],
  },
  mode: 'onTouched',
  create: {
    schema: createPhysicalProductBody,
    send: (body: CreatePhysicalProduct) => call('POST /admin/products', { body }),
    missing: physicalMissing,
    done: 'added',
  },
  update: {
    schema: updatePhysicalProductBody,
    send: (body: UpdatePhysicalProduct, id) => call('PUT /admin/products/:id', { params: { id }, body }),
    missing: physicalMissing,
    done: 'updated',
  },
  loadsNewer: 'at once',
  read: (id) => call('GET /admin/products/:id', { params: { id } }),
  remove: (id) => call('DELETE /admin/products/:id', { params: { id } }),
};

export const productKinds = { digital, physical };

/** Reads the product to edit. It is not cached once its form has closed: an edit must start from the newest version. */
export function useProduct<Product extends AdminProduct>(kind: KindOfProduct<Product>, id: string) {
  return useQuery({
    queryKey: [ADMIN, 'product', kind.name, id],
    queryFn: async () => (await kind.read(id)).data,
    enabled: id !== '',
    gcTime: 0,
  });
}
