import { type FieldErrors, get, type Resolver, set } from 'react-hook-form';
import type * as z from 'zod/mini';
import type { AdminDigitalProduct } from '../../../../shared/admin-catalog.ts';
import { toLocalMoment, toTimestamp } from './local-moments.ts';

/** What the inputs hold: all but ticks are text, whether or not it makes sense yet. */
export interface ProductValues {
  name: string;
  description: string;
  price: string;
  category: string;
  image: string;
  deliveryInstructions: string;
  warranty: string;
  featured: boolean;
  discount: { type: 'none' | 'percentage' | 'fixed'; value: string; startDate: string; endDate: string };
  flashSale: { enabled: boolean; price: string; startDate: string; endDate: string; limitedStock: string };
}

const noOffers: Pick<ProductValues, 'discount' | 'flashSale'> = {
  discount: { type: 'none', value: '', startDate: '', endDate: '' },
  flashSale: { enabled: false, price: '', startDate: '', endDate: '', limitedStock: '' },
};

export const emptyProduct: ProductValues = {
  name: '',
  description: '',
  price: '',
  category: 'Game Keys',
  image: '',
  deliveryInstructions: '',
  warranty: '0',
  featured: false,
  ...noOffers,
};

export function valuesOf(product: AdminDigitalProduct): ProductValues {
  const { discount, flashSale } = product;
  return {
    name: product.name,
    description: product.description,
    price: product.price.toFixed(2),
    category: product.category,
    image: product.image,
    deliveryInstructions: product.deliveryInstructions,
    warranty: String(product.warranty),
    featured: product.featured,
    discount: discount
      ? {
          type: discount.type,
          value: String(discount.value),
          startDate: toLocalMoment(discount.startDate),
          endDate: toLocalMoment(discount.endDate),
        }
      : noOffers.discount,
    flashSale: flashSale
      ? {
          enabled: true,
          price: flashSale.price.toFixed(2),
          startDate: toLocalMoment(flashSale.startDate),
          endDate: toLocalMoment(flashSale.endDate),
          limitedStock: String(flashSale.limitedStock ?? ''),
        }
      : noOffers.flashSale,
  };
}

const numberOf = (typed: string) => (typed.trim() === '' ? Number.NaN : Number(typed));

/** What the form asks the server for; `original` is what it was filled from. */
export function bodyOf(values: ProductValues, original?: AdminDigitalProduct) {
  const { discount, flashSale } = values;
  return {
    name: values.name,
    description: values.description,
    price: numberOf(values.price),
    category: values.category,
    image: values.image,
    deliveryInstructions: values.deliveryInstructions,
    warranty: values.warranty.trim() === '' ? 0 : Number(values.warranty),
    featured: values.featured,
    discount:
      discount.type === 'none' || discount.value.trim() === ''
        ? null
        : {
            type: discount.type,
            value: Number(discount.value),
            startDate: toTimestamp(discount.startDate, original?.discount?.startDate),
            endDate: toTimestamp(discount.endDate, original?.discount?.endDate),
          },
    flashSale:
      !flashSale.enabled || flashSale.price.trim() === ''
        ? null
        : {
            price: Number(flashSale.price),
            startDate: toTimestamp(flashSale.startDate, original?.flashSale?.startDate),
            endDate: toTimestamp(flashSale.endDate, original?.flashSale?.endDate),
            limitedStock: flashSale.limitedStock.trim() === '' ? null : Number(flashSale.limitedStock),
          },
  };
}

const REQUIRED = 'required';

type TextField = 'name' | 'description' | 'price' | 'image';

const asSentence = (message: string) =>
  message === 'Invalid input' ? 'Please check this field' : message.replace(/^./, (c) => c.toUpperCase());

/** Checks what would be sent by the contract itself; what is `required` and empty is said in one sentence of its own. */
export function productResolver<Body extends object>(
  schema: z.ZodMiniType<Body>,
  required: readonly TextField[],
  toBody: (values: ProductValues) => object,
): Resolver<ProductValues, unknown, Body> {
  return (values) => {
    const errors: FieldErrors<ProductValues> = {};
    for (const name of required) {
      if (values[name].trim() === '') {
        errors[name] = { type: REQUIRED, message: 'Please fill in this field' };
      }
    }
    const checked = schema.safeParse(toBody(values));
    if (checked.success && Object.keys(errors).length === 0) return { values: checked.data, errors: {} };
    for (const { path, message } of checked.error?.issues ?? []) {
      const name = path.join('.');
      if (get(errors, name) === undefined)
        set(errors, name, { type: 'refused', message: asSentence(message) });
    }
    return { values: {}, errors };
  };
}

export const isMissing = (errors: FieldErrors<ProductValues>) =>
  Object.values(errors).some((error) => error.type === REQUIRED);
