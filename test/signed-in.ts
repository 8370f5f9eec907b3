import { makeUser, TEST_PASSWORD } from './factories.ts';
import { createShopper, type Shopper } from './shopper.ts';
import type { TestShop } from './test-shop.ts';

/** A browser of a user of its own, who is signed in: a customer unless said otherwise. */
export async function signedIn(
  { deps, url }: Pick<TestShop, 'deps' | 'url'>,
  overrides: Parameters<typeof makeUser>[1] = {},
): Promise<Shopper> {
  const { email } = await makeUser(deps, overrides);
  const shopper = createShopper(url);
  await shopper.signIn(email, TEST_PASSWORD);
  return shopper;
}
