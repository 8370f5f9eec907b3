import { expect, type Page } from '@playwright/test';
import { CARDS } from '../shopper.ts';
import { test as base } from './fixtures.ts';
import { listOrders } from './ledger.ts';
import { fillContact, newEmail, openCheckout, payButton, problem, seesSuccess } from './steps.ts';
import { answerAsStripe, type StripeShop, startStripeShop } from './stripe-shop.ts';

const test = base.extend<{ hosts: Set<string> }, { shop: StripeShop }>({
  shop: [
    async ({ browserName: _ }, use) => {
      const shop = await startStripeShop();
      await use(shop);
      await shop.stop();
    },
    { scope: 'worker', timeout: 180_000 },
  ],
  context: async ({ context, shop }, use) => {
    await answerAsStripe(context, shop);
    await use(context);
  },
  /** The hosts from which the page has requested something. */
  hosts: async ({ context }, use) => {
    const hosts = new Set<string>();
    context.on('request', (request) => {
      const { protocol, hostname } = new URL(request.url());
      if (protocol.startsWith('http')) hosts.add(hostname);
    });
    await use(hosts);
  },
});

// One worker runs the whole file, because each worker that runs one of its tests must start such a shop.
test.describe.configure({ mode: 'default' });

const field = (page: Page) => page.frameLocator('iframe[src="https://js.stripe.com/fake/card"]');

/**
 * A frame of another origin ignores the mouse until it has been painted, so the button gets a click event without it.
 */
async function answerTheBank(page: Page, answer: 'Complete' | 'Fail'): Promise<void> {
  const frame = page.locator('iframe[src="https://hooks.stripe.com/fake/3d-secure"]');
  await frame.contentFrame().getByRole('button', { name: answer }).dispatchEvent('click');
  await expect(frame).toHaveCount(0);
}

async function fillStripeCard(page: Page, number: string = CARDS.good): Promise<void> {
  await field(page).getByLabel('Card number').fill(number);
  await field(page).getByLabel('Expiry').fill('12 / 40');
  await field(page).getByLabel('CVC').fill('123');
}

const CHALLENGED = '4000002500003155';

test('Stripe’s card field is mounted and pays the order', async ({ page, shop, hosts, stockUp }) => {
  const email = newEmail();
  await openCheckout(page, [{ product: await stockUp() }]);
  await fillContact(page, { email });
  await payButton(page).click();
  await expect(page.getByText('Your card details are incomplete.')).toBeVisible();
  await fillStripeCard(page);
  await payButton(page).click();
  await seesSuccess(page);
  expect(await listOrders(shop, email)).toMatchObject([{ state: 'fulfilled' }]);
  const { hostname } = new URL(shop.url);
  expect([...hosts].sort()).toEqual([hostname, 'api.stripe.com', 'js.stripe.com'].sort());
});

test('a declined card shows Stripe’s message, and another card pays the same order', async ({
  page,
  shop,
  stockUp,
  complaints,
}) => {
  complaints.expectFailedRequest(/confirm$/, 402);
  const email = newEmail();
  await openCheckout(page, [{ product: await stockUp() }]);
  await fillContact(page, { email });
  await fillStripeCard(page, '4000000000009995');
  await payButton(page).click();
  await expect(problem(page).filter({ hasText: 'Your card has insufficient funds.' })).toBeVisible();
  await fillStripeCard(page);
  await payButton(page).click();
  await seesSuccess(page);
  expect(await listOrders(shop, email)).toMatchObject([{ state: 'fulfilled' }]);
});

test('3D Secure runs in a Stripe frame: a failed challenge leaves the order unpaid, a completed one pays it', async ({
  page,
  shop,
  stockUp,
}) => {
  const email = newEmail();
  await openCheckout(page, [{ product: await stockUp() }]);
  await fillContact(page, { email });
  await fillStripeCard(page, CHALLENGED);
  await payButton(page).click();
  await answerTheBank(page, 'Fail');
  await expect(problem(page).filter({ hasText: 'We are unable to authenticate your payment method.' })).toBeVisible();
  expect(await listOrders(shop, email)).toMatchObject([{ state: 'pending' }]);
  await payButton(page).click();
  await answerTheBank(page, 'Complete');
  await seesSuccess(page);
  expect(await listOrders(shop, email)).toMatchObject([{ state: 'fulfilled' }]);
});

test('a blocked Stripe script shows "Stripe not loaded", and "Try again" loads it', async ({
  page,
  shop,
  stockUp,
  complaints,
}) => {
  complaints.expectBrokenConnection(/stripe\.js$/);
  await page.route('https://js.stripe.com/**/stripe.js', (route) => route.abort('connectionreset'));
  const email = newEmail();
  await openCheckout(page, [{ product: await stockUp() }]);
  await expect(page.getByText('Stripe not loaded')).toBeVisible();
  await fillContact(page, { email });
  await payButton(page).click();
  await expect(problem(page).filter({ hasText: 'Stripe not loaded' }).first()).toBeVisible();
  // When the second try begins, the message of the first is still shown. Stripe's loader requests the script twice in each try.
  let failures = 0;
  const hasFailedAgain = page.waitForEvent('requestfailed', (request) => {
    if (request.url().endsWith('stripe.js')) failures += 1;
    return failures === 2;
  });
  await page.getByRole('button', { name: 'Try again' }).click();
  await hasFailedAgain;
  await expect(page.getByText('Stripe not loaded').first()).toBeVisible();
  await page.unrouteAll();
  await page.getByRole('button', { name: 'Try again' }).click();
  await fillStripeCard(page);
  await payButton(page).click();
  await seesSuccess(page);
  expect(await listOrders(shop, email)).toMatchObject([{ state: 'fulfilled' }]);
});
