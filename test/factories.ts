import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../src/server/deps.ts';
import { insertItems } from '../src/server/features/inventory/inventory.queries.ts';
import type { NewProduct, UserRow } from '../src/server/platform/database/tables.ts';

type Shop = Pick<Deps, 'db' | 'cipher' | 'passwords' | 'clock'>;

export interface MadeProduct {
  id: string;
  name: string;
  /** Dollars. */
  price: number;
  /** The secrets in stock. */
  keys: string[];
}

let made = 0;

/** A product with `items` keys in stock; $10.00 unless said otherwise. */
export async function makeProduct(
  { db, cipher, clock }: Shop,
  { items = 1, ...overrides }: Partial<NewProduct> & { items?: number } = {},
): Promise<MadeProduct> {
  made += 1;
  const product = {
    id: uuidv7(),
    name: `Test Game ${made}`,
    description: 'A game for tests',
    category: 'Game Keys',
    image: '/covers/test.svg',
    price_cents: 1000,
    created_at: clock.now(),
    ...overrides,
  } as NewProduct;
  const keys = Array.from({ length: items }, (_, index) => `KEY-${product.id}-${index + 1}`);
  await db.insertInto('products').values(product).execute();
  const rows = keys.map((content) => {
    const itemId = uuidv7();
    return {
      id: itemId,
      product_id: product.id,
      state: 'available' as const,
      content_hmac: cipher.fingerprint(content),
      added_at: clock.now(),
      ...storedContent(cipher.encrypt({ itemId, productId: product.id, content })),
    };
  });
  if (rows.length > 0) await db.transaction().execute((trx) => insertItems(trx, rows));
  return { id: product.id, name: product.name, price: product.price_cents / 100, keys };
}

const storedContent = ({ keyId, nonce, ciphertext }: ReturnType<Deps['cipher']['encrypt']>) => ({
  key_id: keyId,
  nonce,
  ciphertext,
});

export const TEST_PASSWORD = 'correct horse battery';
// Made once: to hash a password is slow on purpose.
let testPasswordHash: Promise<string> | undefined;

/** A customer with a verified e-mail and TEST_PASSWORD, unless said otherwise. */
export async function makeUser(
  { db, passwords, clock }: Shop,
  overrides: Partial<Pick<UserRow, 'email' | 'role' | 'name' | 'email_verified_at'>> = {},
): Promise<UserRow> {
  made += 1;
  testPasswordHash ??= passwords.hash(TEST_PASSWORD);
  return db
    .insertInto('users')
    .values({
      id: uuidv7(),
      email: `user-${made}@example.com`,
      name: `User ${made}`,
      email_verified_at: clock.now(),
      password_hash: await testPasswordHash,
      created_at: clock.now(),
      ...overrides,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}
