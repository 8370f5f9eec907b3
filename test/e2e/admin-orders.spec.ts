import { expect, type Page, type Route } from '@playwright/test';
import type { AdminOrder } from '../../src/shared/admin-orders.ts';
import { formatMoment, orderNumber } from '../../src/shared/format.ts';
import { makeUser } from '../factories.ts';
import { buyAsCustomer } from '../purchases.ts';
import { test } from './fixtures.ts';
import { looksRightEverywhere } from './looks-right.ts';
import type { RealShop } from './real-shop.ts';
import { holdBack } from './steps.ts';

const LIST = '/admin?tab=orders';
const orders = (page: Page) => page.getByRole('list', { name: 'Orders' }).getByRole('article');
const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const action = (page: Page, name: string | RegExp) =>
  page.getByRole('group', { name: 'Actions' }).getByRole('button', { name });
const dialog = (page: Page) => page.getByRole('dialog');
const found = (page: Page, count: number) =>
  expect(page.getByText(`${count} ${count === 1 ? 'order' : 'orders'} found`, { exact: true })).toBeVisible();

/** Returns the orders that the list must show, from the database. */
const listed = (shop: RealShop) =>
  shop.db
    .selectFrom('orders')
    .select(['id', 'type', 'created_at', 'contact_email'])
    .where((eb) => eb.or([eb('cancel_reason', 'is', null), eb('cancel_reason', '<>', 'abandoned')]))
    .orderBy('created_at', 'desc')
    .execute();

/** The status beside an order's number; the same word also labels a time in the facts of a parcel. */
const badge = (page: Page, status: string) => page.locator('span').getByText(status, { exact: true });

/** Makes a parcel of the demo unsent that no other test has used; returns its order's id. */
async function unsentParcel(shop: RealShop): Promise<string> {
  const { id } = await shop.db
    .selectFrom('orders')
    .select('id')
    .where('type', '=', 'physical')
    .where('delivered_at', 'is not', null)
    .where('state', '=', 'fulfilled')
    .where(
      'id',
      'not in',
      shop.db.selectFrom('mails').select('order_id').where('order_id', 'is not', null).$castTo<{ order_id: string }>(),
    )
    .orderBy('created_at', 'desc')
    .executeTakeFirstOrThrow();
  await shop.db.deleteFrom('parcels').where('order_id', '=', id).execute();
  await shop.db.updateTable('orders').set({ shipped_at: null, delivered_at: null }).where('id', '=', id).execute();
  return id;
}

test('orders of both kinds are one list, filtered by status, text and days, and Back restores the filters', async ({
  page,
  shop,
  stockUp,
  customer,
  admin: _,
}) => {
  const cart = [
    { product: await stockUp({ price_cents: 1250, items: 4 }), quantity: 2 },
    { product: await stockUp({ items: 2 }), quantity: 1 },
    { product: await stockUp({ items: 2 }), quantity: 1 },
  ];
  const larger = await buyAsCustomer(shop, await makeUser(shop), [...cart, { product: await stockUp(), quantity: 1 }]);
  const id = await buyAsCustomer(shop, customer, cart);
  const all = await listed(shop);
  await page.goto(LIST);
  await expect(page.getByRole('heading', { name: 'All Orders' })).toBeVisible();
  await found(page, all.length);
  const row = orders(page).first();
  await expect(row.locator('time')).toHaveText(formatMoment(all[0]?.created_at ?? ''));
  for (const words of [
    'Digital',
    `#${orderNumber(id)}`,
    'Delivered',
    'Total $47.70',
    `Customer${customer.name}Email${customer.email}Items3PaymentPaid`,
    `${cart[0]?.product.name}2 × $12.50`,
    `${cart[1]?.product.name}1 × $10.00`,
    '+ 1 more item',
  ]) {
    await expect(row).toContainText(words);
  }
  await expect(row).not.toContainText(cart[2]?.product.name ?? '');
  await expect(row.locator('img')).toHaveCount(2);
  await expect(orders(page).filter({ hasText: orderNumber(larger) })).toContainText('+ 2 more items');

  const times = () =>
    orders(page)
      .locator('time')
      .evaluateAll((those) => those.map((time) => Date.parse((time as HTMLTimeElement).dateTime)));
  const more = page.getByRole('button', { name: 'Load more' });
  const newest = all.map(({ created_at }) => created_at.getTime());
  for (let shown = 0; await more.isVisible(); ) {
    const those = await times();
    // The part of the list that is shown has no gap.
    expect(those).toEqual(newest.slice(0, those.length));
    expect(those.length).toBeGreaterThan(shown);
    shown = those.length;
    await more.click();
    await expect(async () => expect((await times()).length).toBeGreaterThan(shown)).toPass();
  }
  expect(await times()).toEqual(newest);

  await expect(page.getByLabel('Status')).toHaveText('All StatusProcessingShippedDeliveredCancelled');
  await page.getByLabel('Status').selectOption('Cancelled');
  await expect(page).toHaveURL(`${LIST}&status=Cancelled`);
  await expect(orders(page).filter({ hasNotText: 'Cancelled' })).toHaveCount(0);
  // The demo has orders that were cancelled without a payment.
  await expect(orders(page).filter({ hasText: 'PaymentPending' }).first()).toBeVisible();
  await page.getByLabel('Status').selectOption('All Status');

  const search = page.getByLabel('Search orders');
  for (const words of [orderNumber(id).toLowerCase(), customer.email.toUpperCase(), `${customer.name} `]) {
    await search.fill(words);
    await expect(orders(page)).toHaveCount(1);
    await found(page, 1);
  }
  await page.getByLabel('To', { exact: true }).fill('2020-01-01');
  await expect(page.getByRole('heading', { name: 'No orders found' })).toBeVisible();
  await expect(page.getByText('Orders will appear here once customers make purchases')).toBeVisible();
  await expect(page.getByText('No order matches these filters.')).toBeVisible();
  await page.getByLabel('To', { exact: true }).fill('');
  await page.getByLabel('From').fill('2020-01-01');
  await expect(orders(page)).toHaveCount(1);
  await expect(page).toHaveURL(/from=2020-01-01/);

  await row.getByRole('link', { name: `#${orderNumber(id)}` }).click();
  await expect(page).toHaveURL(`/admin/orders/${id}`);
  await page.getByRole('link', { name: 'Back to the dashboard' }).click();
  await expect(orders(page)).toHaveCount(1);
  await expect(page.getByLabel('From')).toHaveValue('2020-01-01');
  await page.reload();
  await expect(search).toHaveValue(`${customer.name} `);
  await search.fill('nobody is called that');
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await expect(page).toHaveURL(LIST);
  await found(page, all.length);
});

test('one call lists orders of both kinds, a failure shows an error, and a count stops at 10,000', async ({
  page,
  complaints,
  admin: _,
}) => {
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  const lists = () => asked.filter((path) => /^\/api\/(admin\/(digital-)?orders|orders)$/.test(path));
  complaints.expectFailedRequest('/api/admin/orders', 400);
  await page.route('/api/admin/orders', (route) => route.fulfill({ status: 400, json: {} }));
  await page.goto(LIST);
  const alert = page.getByRole('tabpanel').getByRole('alert');
  await expect(alert).toContainText('Failed to load orders');
  await expect(orders(page)).toHaveCount(0);
  await expect(page.getByRole('heading', { name: 'No orders found' })).toHaveCount(0);
  await page.unrouteAll();
  await page.route('/api/admin/orders', async (route) => {
    const answer = await route.fetch();
    const found = (await answer.json()) as { data: AdminOrder[] };
    await route.fulfill({ json: { ...found, total: 10_000, hasUncounted: true } });
  });
  await alert.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByText('10,000+ orders found')).toBeVisible();
  await expect(orders(page).filter({ hasText: 'Digital' }).first()).toBeVisible();
  await expect(orders(page).filter({ hasText: 'Physical' }).first()).toBeVisible();
  await expect(alert).toHaveCount(0);
  expect(new Set(lists())).toEqual(new Set(['/api/admin/orders']));
});

test('a parcel is shipped and delivered once, another is cancelled and refunded, and a stale tab is refused', async ({
  page,
  shop,
  complaints,
  admin: _,
}) => {
  const id = await unsentParcel(shop);
  const status = `/api/admin/orders/${id}/status`;
  const ship = `/api/admin/orders/${id}/ship`;
  const behind = await page.context().newPage();
  for (const tab of [page, behind]) {
    await tab.goto(`/admin/orders/${id}`);
    await expect(action(tab, 'Cancel order')).toBeVisible();
  }
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(`Order #${orderNumber(id)}`);
  await expect(section(page, 'Customer').getByRole('link')).toHaveAttribute('href', /^\/admin\/users\//);
  await expect(section(page, 'Delivery')).toContainText(/Address.+Malaysia.*Not shipped yet/);
  await expect(section(page, 'Items').locator('dl > div')).toHaveText([
    /^Subtotal\$/,
    /^Shipping\$5\.90/,
    /^Tax \(6%\)\$/,
    /^Total\$/,
  ]);
  await expect(section(page, 'Timeline').getByRole('listitem')).toHaveText([/^Ordered by /, /^Paid \$/]);

  // Done by keyboard. Missing values and failures are shown.
  await action(page, 'Mark as shipped').press('Enter');
  await expect(dialog(page).getByLabel('Carrier')).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(dialog(page).getByRole('alert')).toHaveText([
    'Please enter the carrier',
    'Please enter the tracking number',
  ]);
  complaints.expectFailedRequest(ship, 503);
  const message = 'The shop cannot answer at the moment. Please try again.';
  await page.route(ship, (route) => route.fulfill({ status: 503, json: { message } }), { times: 1 });
  await page.keyboard.type('Pos Laju');
  await page.keyboard.press('Tab');
  await page.keyboard.type('EM123456789MY');
  await page.keyboard.press('Enter');
  await expect(dialog(page).getByRole('alert')).toHaveText(message);
  const sent: string[] = [];
  page.on('request', (request) => request.url().endsWith(ship) && sent.push(request.url()));
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('region', { name: 'Notifications' })).toContainText('The order is marked as shipped');
  await expect(dialog(page)).toBeHidden();
  expect(sent).toHaveLength(1);
  await expect(badge(page, 'Shipped')).toBeVisible();
  await expect(section(page, 'Delivery')).toContainText('CarrierPos LajuTracking numberEM123456789MY');
  await expect(section(page, 'Timeline')).toContainText('Shipped with Pos Laju, tracking number EM123456789MY');
  await expect(page.getByRole('group', { name: 'Actions' })).toBeFocused();
  // After this, the tab no longer reloads the order by itself, and so does not learn of the delivery below.
  await expect(section(page, 'Mails')).toContainText(/Order shipped.*Sent /, { timeout: 20_000 });

  complaints.expectFailedRequest(status, 409);
  await action(behind, 'Cancel order').click();
  await dialog(behind).getByRole('button', { name: 'Cancel order' }).click();
  await expect(dialog(behind).getByRole('alert')).toHaveText('Please give a reason');
  await dialog(behind).getByLabel('Reason').fill('The buyer changed their mind');
  await dialog(behind).getByRole('button', { name: 'Cancel order' }).click();
  await expect(dialog(behind).getByRole('alert')).toHaveText(
    'This order is Shipped and cannot become Cancelled. It can become Delivered.',
  );
  await dialog(behind).getByRole('button', { name: 'Close' }).click();
  await behind.getByRole('button', { name: 'Discard' }).click();
  await expect(action(behind, 'Cancel order')).toBeHidden();

  await action(behind, 'Mark as delivered').dblclick();
  await expect(badge(behind, 'Delivered')).toBeVisible();
  await expect(action(behind, 'Mark as delivered')).toBeHidden();
  await action(page, 'Mark as delivered').click();
  await expect(page.getByRole('group', { name: 'Actions' }).getByRole('alert')).toHaveText(
    'This order is Delivered and cannot become Delivered. Its status can no longer change.',
  );
  await expect(action(page, 'Mark as delivered')).toBeHidden();

  await page.goto(`/admin/orders/${await unsentParcel(shop)}`);
  await action(page, 'Cancel order').click();
  await expect(dialog(page)).toContainText(/What was paid goes back in full: \$\d+\.\d\d/);
  await expect(dialog(page).getByRole('button', { name: 'Keep order' })).toBeVisible();
  await dialog(page).getByLabel('Reason').fill('Out of mugs');
  await dialog(page).getByRole('button', { name: 'Cancel order' }).click();
  await expect(page.getByRole('region', { name: 'Notifications' })).toContainText('The order is cancelled');
  await expect(page.getByText('Cancelled', { exact: true })).toBeVisible();
  await expect(section(page, 'Refunds')).toContainText('Out of mugs');
  await expect(action(page, /shipped|Cancel|^Refund/)).toHaveCount(0);
});

test('a late response does not close a dialog that was opened meanwhile', async ({ page, shop, admin: _ }) => {
  const id = await unsentParcel(shop);
  await page.goto(`/admin/orders/${id}`);
  await action(page, 'Mark as shipped').click();
  await dialog(page).getByLabel('Carrier').fill('Pos Laju');
  await dialog(page).getByLabel('Tracking number').fill('EM123456789MY');
  await dialog(page).getByRole('button', { name: 'Mark as shipped' }).click();
  const delivery = await holdBack(page, `/api/admin/orders/${id}/status`);
  await action(page, 'Mark as delivered').click();
  await delivery.made;
  await action(page, 'Refund').click();
  const reason = dialog(page).getByLabel('Reason');
  await reason.fill('Broken on arrival');
  delivery.letGo();
  await expect(page.getByRole('region', { name: 'Notifications' })).toContainText('The order is marked as delivered');
  await expect(reason).toHaveValue('Broken on arrival');
  await expect(reason).toBeFocused();
});

test('a digital order has an item replaced, its mail resent, one unit refunded, and then the rest refunded', async ({
  page,
  shop,
  stockUp,
  customer,
  complaints,
  admin: _,
}) => {
  const game = await stockUp({ price_cents: 1250, items: 3, warranty_days: 30 });
  const other = await stockUp();
  const id = await buyAsCustomer(shop, customer, [
    { product: game, quantity: 2 },
    { product: other, quantity: 1 },
  ]);
  await page.goto(`/admin/orders/${id}`);
  const notified = page.getByRole('region', { name: 'Notifications' });
  const units = page.getByRole('list', { name: `Delivered items of ${game.name}` }).getByRole('listitem');
  await expect(units).toHaveText([/^Item 1KEY-•+.{4}Sold/, /^Item 2KEY-•+.{4}Sold/]);
  // The items of the other product have no warranty.
  await expect(page.getByRole('button', { name: /^Replace faulty item/ })).toHaveCount(2);

  await units.nth(0).getByRole('button', { name: 'Replace faulty item 1' }).click();
  await dialog(page).getByRole('button', { name: 'Replace item' }).click();
  await expect(dialog(page).getByRole('alert')).toHaveText('Please give a reason');
  await dialog(page).getByLabel('Reason').fill('It was used already');
  await dialog(page).getByRole('button', { name: 'Replace item' }).dblclick();
  await expect(notified).toContainText('The buyer has a new item');
  await expect(units).toHaveCount(3);
  // The buyer's numbering of the items stays.
  await expect(units).toHaveText([/^Item 1.*BurntReplaced/, /^Item 1.*SoldReplacement/, /^Item 2.*Sold/]);
  await expect(section(page, 'Timeline')).toContainText('It was used already');

  await action(page, 'Resend mail').click();
  await expect(notified).toContainText('The mail is on its way again');
  await expect(section(page, 'Mails').getByText('Order delivered')).toHaveCount(2);
  // Also without a reload.
  await expect(section(page, 'Mails')).not.toContainText('Waiting to be sent');

  const refund = `/api/admin/orders/${id}/refund`;
  complaints.expectFailedRequest(refund, 502);
  const message = 'The payment provider does not answer';
  await page.route(refund, (route) => route.fulfill({ status: 502, json: { message } }), { times: 1 });
  await action(page, 'Refund').click();
  await expect(dialog(page).getByLabel('All that is left ($37.10)')).toBeChecked();
  await dialog(page).getByLabel('Some units').check();
  await dialog(page).getByRole('button', { name: 'Refund', exact: true }).click();
  await expect(dialog(page).getByRole('alert')).toHaveText(['Please choose what to refund', 'Please give a reason']);
  await dialog(page).getByLabel(`Units of ${game.name}`).selectOption('1');
  await dialog(page).getByLabel('Reason').fill('One too many');
  await dialog(page).getByRole('button', { name: 'Refund $13.25' }).click();
  await expect(dialog(page).getByRole('alert')).toHaveText(message);
  await dialog(page).getByRole('button', { name: 'Refund $13.25' }).dblclick();
  await expect(notified).toContainText('$13.25 goes back to the buyer');
  await expect(section(page, 'Items')).toContainText('1 of 2 refunded');
  await expect(section(page, 'Payment')).toContainText('StatePaidPaid$37.10Refunded$13.25');
  await expect(section(page, 'Refunds').getByRole('listitem')).toHaveText(
    new RegExp(`^\\$13\\.25RefundedOne too manyFor 1 × ${game.name}To Visa •••• 4242, .* GMT`),
  );
  await expect(page.getByRole('main')).toContainText('DeliveredPartly refunded');

  // An administrator who closes the dialog meanwhile still gets the message.
  const closed = Promise.withResolvers<void>();
  const late = async (route: Route) => {
    await closed.promise;
    await route.fulfill({ status: 502, json: { message } });
  };
  await page.route(refund, late, { times: 1 });
  await action(page, 'Refund').click();
  await dialog(page).getByLabel('Reason').fill('Not wanted at all');
  await dialog(page).getByRole('button', { name: 'Refund $23.85' }).click();
  await dialog(page).getByRole('button', { name: 'Close' }).click();
  closed.resolve();
  await expect(notified).toContainText(message);

  // While a mail waits, the page reloads its data, so it may show the refund before the call is answered.
  await shop.db.updateTable('mails').set({ sent_at: null }).where('order_id', '=', id).execute();
  await page.reload();
  const known = Promise.withResolvers<void>();
  const slow = async (route: Route) => {
    const response = await route.fetch();
    await known.promise;
    await route.fulfill({ response });
  };
  await page.route(refund, slow, { times: 1 });
  await action(page, 'Refund').click();
  await dialog(page).getByLabel('Reason').fill('Not wanted at all');
  await dialog(page).getByRole('button', { name: 'Refund $23.85' }).click();
  await expect(page.locator('main')).toContainText('Refunded$37.10');
  known.resolve();
  await expect(notified).toContainText('$23.85 goes back to the buyer');
  await expect(page.getByRole('main')).toContainText('CancelledRefunded');
  await expect(section(page, 'Payment')).toContainText('Refunded$37.10');
  await expect(action(page, 'Refund')).toBeHidden();
  await expect(page.getByText('Quarantined')).not.toHaveCount(0);
  await page.goto(`${LIST}&q=${customer.email}`);
  await expect(orders(page).first()).toContainText('CancelledRefunded');
});

test('the order list, the order page and its dialogs have no accessibility violation and no overflow, also on a phone', async ({
  page,
  shop,
  complaints,
  admin: _,
}) => {
  await page.goto(`${LIST}&q=nadia`);
  await expect(orders(page).first()).toBeVisible();
  await looksRightEverywhere(page, [1440, 360]);
  await page.goto(`/admin/orders/${await unsentParcel(shop)}`);
  await action(page, 'Mark as shipped').click();
  await dialog(page).getByRole('button', { name: 'Mark as shipped' }).click();
  await looksRightEverywhere(page, [360]);
  await dialog(page).getByRole('button', { name: 'Cancel' }).click();
  await action(page, 'Refund').click();
  await dialog(page).getByLabel('Some units').check();
  await looksRightEverywhere(page, [1440, 360]);

  const missing = '00000000-0000-7000-8000-000000000000';
  complaints.expectFailedRequest(`/api/admin/orders/${missing}`, 404);
  await page.goto(`/admin/orders/${missing}`);
  await expect(page.getByRole('heading', { name: 'Order not found' })).toBeVisible();
  await page.getByRole('link', { name: 'Back to Orders' }).click();
  await expect(page).toHaveURL(LIST);
});
