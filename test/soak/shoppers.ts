import { setTimeout as wait } from 'node:timers/promises';
import { type MadeProduct, TEST_PASSWORD } from '../factories.ts';
import { type Answer, CARDS, createShopper, intentIdOf, type Shopper } from '../shopper.ts';
import type { SoakWorld } from './soak-world.ts';

// Like a person whose page does not load; the next try goes to the other process, as a proxy would send it.
const ANSWER_LIMIT_MS = 15_000;
const PATIENCE_MS = 90_000;
/** Statuses of a shop, or of a proxy before it, that cannot answer yet. */
export const IN_BETWEEN = [502, 503, 504];

/** What the buyer saw of a purchase; the books say the rest at the end. */
export interface SeenPurchase {
  email: string;
  kind: 'pays' | 'declined' | 'challenge' | 'challenge-failed' | 'leaves';
  /** The code with which the purchase was refused before there was an order. */
  refused?: string;
  /** The time at which the shop confirmed the delivery, in milliseconds. */
  acknowledgedAt: number | undefined;
  declined: boolean;
  keys: string[];
}

/** Everything that the shoppers have seen. */
export interface Diary {
  purchases: SeenPurchase[];
  answers: Map<string, number>;
  slowestMs: number;
  problems: string[];
}

export const newDiary = (): Diary => ({ purchases: [], answers: new Map(), slowestMs: 0, problems: [] });

let people = 0;

const pick = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)] as T;

/** Creates a client that knows both processes and tries again while neither answers. */
export function openBrowser({ shops }: { shops: readonly { url: string }[] }, diary: Diary, from?: string) {
  people += 1;
  const address = from ?? `10.${(people >> 16) & 255}.${(people >> 8) & 255}.${people & 255}`;
  const cookies = new Map<string, string>();
  let token: string | undefined;

  async function ask(what: string, call: (shopper: Shopper) => Promise<Answer>): Promise<Answer | undefined> {
    const end = Date.now() + PATIENCE_MS;
    for (let turn = Math.random() < 0.5 ? 0 : 1; Date.now() < end; turn += 1) {
      const shopper = createShopper(shops[turn % shops.length]?.url ?? '', { from: address });
      for (const [name, value] of cookies) shopper.cookies.set(name, value);
      shopper.setToken(token);
      const started = Date.now();
      const given = wait(ANSWER_LIMIT_MS).then(() => undefined);
      const answer = await Promise.race([call(shopper).catch(() => undefined), given]);
      for (const [name, value] of shopper.cookies) cookies.set(name, value);
      note(answer ? String(answer.status) : 'no answer');
      if (answer && !IN_BETWEEN.includes(answer.status)) {
        diary.slowestMs = Math.max(diary.slowestMs, Date.now() - started);
        if (answer.status >= 500) diary.problems.push(`${what} answered ${answer.status}`);
        return answer;
      }
      await wait(300);
    }
    return undefined;
  }

  const note = (status: string) => diary.answers.set(status, (diary.answers.get(status) ?? 0) + 1);

  return {
    ask,
    setToken: (value: string | undefined) => {
      token = value;
    },
  };
}

const kinds: SeenPurchase['kind'][] = [
  ...Array<SeenPurchase['kind']>(6).fill('pays'),
  'declined',
  'challenge',
  'challenge-failed',
  'leaves',
  'leaves',
];

/** Buys one to three units as a guest, in one of the ways in which people do. */
export async function buyAsGuest(
  world: { shops: readonly { url: string }[]; products: readonly MadeProduct[] },
  diary: Diary,
  {
    kind = pick(kinds),
    from,
    quantity = 1 + Math.floor(Math.random() * 3),
  }: { kind?: SeenPurchase['kind']; from?: string; quantity?: number } = {},
): Promise<void> {
  const browser = openBrowser(world, diary, from);
  const seen: SeenPurchase = {
    ...{ email: `soak-${people}@example.com`, kind, acknowledgedAt: undefined, declined: false, keys: [] },
  };
  diary.purchases.push(seen);
  const guest = { email: seen.email, password: 'a-guest-chooses' };
  const cart = [{ product: pick(world.products), quantity }];

  const opened = await browser.ask('opening a payment', (shopper) => shopper.openPayment(cart, guest));
  const { clientSecret = '', orderId = '' } = opened?.body ?? {};
  if (!opened || opened.status >= 400) {
    seen.refused = opened?.body.code ?? 'no answer';
    return;
  }
  if (kind === 'leaves') return;

  const card = { pays: CARDS.good, declined: CARDS.declined }[kind as 'pays'] ?? CARDS.challenge;
  const confirmed = await browser.ask('confirming a card', (shopper) => shopper.confirmCard(clientSecret, card));
  seen.declined = confirmed?.status === 402;
  if (!confirmed || seen.declined) return;
  if (kind.startsWith('challenge')) {
    const outcome = kind === 'challenge' ? 'complete' : 'fail';
    await browser.ask('a challenge', (shopper) => answerChallenge(shopper, clientSecret, outcome));
    if (outcome === 'fail') {
      seen.declined = true;
      return;
    }
  }
  const placed = await browser.ask('placing an order', (shopper) => shopper.placeOrder(cart, clientSecret, guest));
  if (placed?.status !== 201) return;
  seen.acknowledgedAt = Date.now();
  browser.setToken(placed.body.data?.token);
  const read = await browser.ask('reading the keys', (shopper) => shopper.get(`/api/digital-orders/${orderId}/items`));
  const lines = (read?.body.data?.['items'] ?? []) as { items: { content: string }[] }[];
  seen.keys = lines.flatMap(({ items }) => items.map(({ content }) => content));
}

async function answerChallenge(shopper: Shopper, clientSecret: string, outcome: string): Promise<Answer> {
  const shop = await shopper.get('/api/shop');
  const { publishableKey } = (shop.body.data as unknown as { payments: { publishableKey: string } }).payments;
  return shopper.send(
    'POST',
    `/test-mode/v1/payment_intents/${intentIdOf(clientSecret)}/challenge`,
    new URLSearchParams({ client_secret: clientSecret, outcome }).toString(),
    { 'content-type': 'application/x-www-form-urlencoded', authorization: `Bearer ${publishableKey}` },
  );
}

/** Reads a few pages, as most visitors do. */
export async function browse(world: SoakWorld, diary: Diary): Promise<void> {
  const { ask } = openBrowser(world, diary);
  const product = pick(world.products);
  for (const path of ['/', '/api/digital-products', `/api/digital-products/${product.id}`, '/sitemap.xml']) {
    await ask(path, (shopper) => shopper.get(path));
  }
}

/** Signs in as a customer, sometimes with a wrong password first, reads the orders and adds to the cart. */
export async function signInAndLook(world: SoakWorld, diary: Diary): Promise<void> {
  const browser = openBrowser(world, diary);
  const { email } = pick(world.customers);
  if (Math.random() < 0.2) await browser.ask('a wrong password', (shopper) => shopper.signIn(email, 'wrong'));
  const answer = await browser.ask('signing in', (shopper) => shopper.signIn(email, TEST_PASSWORD));
  browser.setToken(answer?.body.token);
  if (answer?.status !== 200) return;
  await browser.ask('my orders', (shopper) => shopper.get('/api/digital-orders/myorders'));
  await browser.ask('my cart', (shopper) =>
    shopper.post('/api/users/cart', { productId: pick(world.products).id, quantity: 1 }),
  );
}

/** Signs in as an administrator, reads the lists five times, and refunds one order each time, whole or a unit of it. */
export async function administer(world: SoakWorld, diary: Diary): Promise<void> {
  const browser = openBrowser(world, diary);
  const answer = await browser.ask('signing in', (shopper) => shopper.signIn(world.admin.email, TEST_PASSWORD));
  if (answer?.status !== 200) return;
  browser.setToken(answer.body.token);
  for (let look = 0; look < 5; look += 1) {
    for (const path of ['/api/admin/stats', '/api/admin/users', '/api/admin/audit-log']) {
      await browser.ask(path, (shopper) => shopper.get(path));
    }
    const list = await browser.ask('the orders', (shopper) => shopper.get('/api/admin/digital-orders?limit=20'));
    const orders = (list?.body.data ?? []) as unknown as { _id: string }[];
    if (orders.length > 0) await refundOne(browser, pick(orders)._id);
    await wait(1_500);
  }
}

async function refundOne(browser: ReturnType<typeof openBrowser>, orderId: string): Promise<void> {
  const page = await browser.ask('an order', (shopper) => shopper.get(`/api/admin/orders/${orderId}`));
  const [line] = (page?.body.data?.['lines'] ?? []) as { _id: string }[];
  const lines = Math.random() < 0.5 && line ? [{ line: line._id, quantity: 1 }] : undefined;
  await browser.ask('a refund', (shopper) =>
    shopper.post(`/api/admin/orders/${orderId}/refund`, { reason: 'Soak', ...(lines && { lines }) }),
  );
}

/** Sends a webhook with a forged signature, which must be refused. */
export async function sendForgedWebhook(world: SoakWorld, diary: Diary): Promise<void> {
  const { ask } = openBrowser(world, diary);
  const answer = await ask('a forged webhook', (shopper) =>
    shopper.send('POST', '/api/webhooks/stripe', '{}', {
      'content-type': 'application/json',
      'stripe-signature': 't=1,v1=00',
    }),
  );
  if (answer && answer.status < 400) diary.problems.push(`a forged webhook was answered ${answer.status}`);
}
