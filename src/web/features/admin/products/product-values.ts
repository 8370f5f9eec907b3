import type { BuyerField } from '../../../../shared/catalog.ts';
import type { Delivery } from '../../../../shared/catalog-choices.ts';
import { LOW_STOCK } from '../../../../shared/inventory.ts';
import type {
  AdminDigitalProduct,
  AdminPhysicalProduct,
  CreateDigitalProduct,
  CreatePhysicalProduct,
  UpdateDigitalProduct,
} from '../../../../shared/products.ts';

export type AdminProduct = AdminDigitalProduct | AdminPhysicalProduct;

/** The values of the inputs of both kinds: text, which may be invalid, and checkboxes. */
export type ProductValues = typeof emptyValues;

export type TypedField = Omit<BuyerField, 'choices'> & { choices: string };

/** What the calls accept. A field that is missing in the form does not compile. */
type FormField = Exclude<
  keyof (CreateDigitalProduct & CreatePhysicalProduct & UpdateDigitalProduct),
  'draft' | 'onSameName' | 'version' | 'stockWas' | 'undoDelete'
>;

/** An edit conflict lists changed fields in this order. */
export const emptyValues = {
  name: '',
  description: '',
  price: '',
  category: '',
  image: '',
  /** The pictures after `image`. */
  images: [] as string[],
  featured: false,
  lowStock: String(LOW_STOCK),
  discount: { type: 'none' as 'none' | 'percentage' | 'fixed', value: '', startDate: '', endDate: '' },
  flashSale: { enabled: false, price: '', startDate: '', endDate: '', limitedStock: '' },
  delivery: '' as Delivery | '',
  brand: '',
  stock: '',
  weight: '',
  length: '',
  width: '',
  height: '',
  region: '',
  platform: '',
  /** `choices` as they are typed, with commas between them. */
  buyerFields: [] as TypedField[],
  deliveryInstructions: '',
  warranty: '0',
  downloadLimit: '',
  downloadDays: '',
  isActive: true,
} satisfies Record<FormField, unknown>;

type FieldsOfOneKind = Partial<
  Omit<AdminDigitalProduct, keyof AdminPhysicalProduct> & Omit<AdminPhysicalProduct, keyof AdminDigitalProduct>
>;

const textOf = (value: number | null | undefined): string => String(value ?? '');

/** Returns the input values for a product. Fields that its kind does not have keep their empty values. */
export function valuesOf(product: AdminProduct): ProductValues {
  const { discount, flashSale } = product;
  const { buyerFields = [], warranty = 0, download, ...own }: FieldsOfOneKind = product;
  return {
    ...emptyValues,
    ...product,
    images: product.images.slice(1),
    price: product.price.toFixed(2),
    stock: textOf(stockOf(product)),
    lowStock: String(product.lowStock),
    delivery: own.delivery ?? '',
    region: own.region ?? '',
    platform: own.platform ?? '',
    buyerFields: buyerFields.map((field) => ({ ...field, choices: field.choices.join(', ') })),
    weight: textOf(own.weight),
    length: textOf(own.length),
    width: textOf(own.width),
    height: textOf(own.height),
    // Missing means active.
    isActive: product.isActive !== false,
    downloadLimit: textOf(download?.limit),
    downloadDays: textOf(download?.days),
    warranty: String(warranty),
    discount: discount
      ? { type: discount.type, value: String(discount.value), ...localTimes(discount) }
      : emptyValues.discount,
    flashSale: flashSale
      ? {
          enabled: true,
          price: flashSale.price.toFixed(2),
          limitedStock: textOf(flashSale.limitedStock),
          ...localTimes(flashSale),
        }
      : emptyValues.flashSale,
  };
}

/** The units that the form shows; null without a limit. */
export const stockOf = (product: AdminProduct) => ('unitsLeft' in product ? product.unitsLeft : product.stock);

const numberOf = (typed: string) => (typed.trim() === '' ? null : Number(typed));

/** Which inputs are shown. What was typed into the others is not sent. */
export const isFile = ({ delivery }: Pick<ProductValues, 'delivery'>) => delivery === 'file';
export const hasLimit = ({ delivery }: Pick<ProductValues, 'delivery'>) => delivery !== 'unique';
export const canRunOut = (values: Pick<ProductValues, 'delivery' | 'stock'>) =>
  !hasLimit(values) || values.stock.trim() !== '';

/** Returns the body of the request with the fields of both kinds. `original` is the product that filled the form. */
export function bodyOf({ discount, flashSale, ...values }: ProductValues, original?: AdminProduct) {
  const { type } = discount;
  const value = numberOf(discount.value);
  const salePrice = flashSale.enabled ? numberOf(flashSale.price) : null;
  const limitedStock = numberOf(flashSale.limitedStock);
  return {
    ...values,
    images: [values.image, ...values.images].filter((image) => image.trim() !== ''),
    price: numberOf(values.price) ?? Number.NaN,
    stock: hasLimit(values) ? numberOf(values.stock) : null,
    lowStock: canRunOut(values) ? (numberOf(values.lowStock) ?? Number.NaN) : (original?.lowStock ?? LOW_STOCK),
    buyerFields: values.buyerFields.map(({ choices, ...field }) => ({
      ...field,
      choices: field.kind === 'text' ? [] : choicesOf(choices),
    })),
    warranty: numberOf(values.warranty) ?? Number.NaN,
    downloadLimit: isFile(values) ? numberOf(values.downloadLimit) : null,
    downloadDays: isFile(values) ? numberOf(values.downloadDays) : null,
    weight: numberOf(values.weight),
    length: numberOf(values.length),
    width: numberOf(values.width),
    height: numberOf(values.height),
    discount: type === 'none' || value === null ? null : { type, value, ...timestamps(discount, original?.discount) },
    flashSale:
      salePrice === null ? null : { price: salePrice, limitedStock, ...timestamps(flashSale, original?.flashSale) },
  };
}

const choicesOf = (typed: string): string[] =>
  typed
    .split(',')
    .map((choice) => choice.trim())
    .filter(Boolean);

type Times<Time> = Record<'startDate' | 'endDate', Time>;

const localTimes = ({ startDate, endDate }: Times<string | null>): Times<string> => ({
  startDate: toLocalTime(startDate),
  endDate: toLocalTime(endDate),
});

const timestamps = (typed: Times<string>, original: Times<string | null> | null | undefined) => ({
  startDate: toTimestamp(typed.startDate, original?.startDate),
  endDate: toTimestamp(typed.endDate, original?.endDate),
});

/** Converts a timestamp to the value of a `datetime-local` input: local time, to the minute. */
function toLocalTime(timestamp: string | null): string {
  if (timestamp === null) return '';
  const date = new Date(timestamp);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/**
 * Converts the value of such an input to a timestamp; null if it is empty or invalid. An unchanged value returns the
 * original to the millisecond, because a start that moves would make another flash sale.
 */
function toTimestamp(typed: string, original: string | null | undefined): string | null {
  if (typed === '') return null;
  if (original && toLocalTime(original) === typed) return original;
  const date = new Date(typed);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}
