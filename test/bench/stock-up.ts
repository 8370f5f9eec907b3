import { createPasswordHasher } from '../../src/server/platform/crypto/password-hasher.ts';
import { makeProduct, makeUser, TEST_PASSWORD } from '../factories.ts';
import { openShopOf } from '../processes.ts';
import { requestJson } from './http-load.ts';

const PRODUCTS = 4;
const KEYS_EACH = 4_000;

/** Creates products with keys in stock, and customers who have signed in. */
export async function stockUp({
  env,
  shopUrl,
  buyers,
}: {
  env: { DATABASE_URL: string; DATA_DIR: string };
  shopUrl: string;
  buyers: number;
}) {
  const { deps, close } = await openShopOf(env);
  const products = [];
  for (let n = 0; n < PRODUCTS; n += 1) products.push(await makeProduct(deps, { items: KEYS_EACH }));
  const tokens = [];
  // With the cost of a real password's hash.
  const password_hash = await createPasswordHasher().hash(TEST_PASSWORD);
  for (let n = 0; n < buyers; n += 1) {
    const { email } = await makeUser(deps, { password_hash });
    const { json } = await requestJson<{ token: string }>(`${shopUrl}/api/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password: TEST_PASSWORD }),
    });
    tokens.push(json.token);
  }
  await close();
  return { products, tokens };
}
