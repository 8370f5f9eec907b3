import { expect, type Page } from '@playwright/test';
import { makePhysicalProduct, makeReview, makeUser, TEST_PASSWORD } from '../factories.ts';
import { buyAsCustomer } from '../purchases.ts';
import { test } from './fixtures.ts';
import { looksRightEverywhere } from './looks-right.ts';
import { acceptQuestions, awaitCalls, holdBack, press, signIn } from './steps.ts';

const main = (page: Page) => page.getByRole('main');
const toast = (page: Page) => page.getByRole('region', { name: 'Notifications' });
const section = (page: Page) => page.getByRole('region', { name: 'Reviews' });

test('a buyer writes a review, an administrator publishes it with a reply, and a visitor reads it', async ({
  page,
  admin: _admin,
  customer,
  shop,
  stockUp,
  otherBrowser,
  signedIn,
}) => {
  const product = await stockUp();
  await buyAsCustomer(shop, customer, [{ product, quantity: 1 }]);
  const [buyer, visitor] = [await otherBrowser(), await otherBrowser()];

  await signedIn(buyer, customer);
  await buyer.goto('/orders');
  await buyer.getByRole('link', { name: `Review of ${product.name}` }).click();
  await expect(buyer.getByRole('heading', { name: 'Write a review' })).toBeVisible();
  await press(buyer, 'Send review');
  await expect(main(buyer)).toContainText('Please choose one to five stars');
  await expect(main(buyer)).toContainText('Please write a few words');
  // The first field with an error has the focus; arrow keys choose.
  await expect(buyer.getByRole('radio', { name: '1 star', exact: true })).toBeFocused();
  await looksRightEverywhere(buyer, [360]);
  for (const _press of [1, 2, 3]) await buyer.keyboard.press('ArrowRight');
  await expect(buyer.getByRole('radio', { name: '4 stars' })).toBeChecked();
  await buyer.getByLabel('Title').fill('Plays well');
  await buyer.getByLabel('Review', { exact: true }).fill('Bought on Friday,\nfinished on Sunday.');
  await press(buyer, 'Send review');
  await expect(toast(buyer)).toContainText('Thank you!');
  await expect(main(buyer)).toContainText('WaitingThe shop reads it first.');

  await visitor.goto(`/digital-product/${product.id}`);
  await expect(section(visitor)).toContainText('No reviews yet');

  await page.goto(`/admin?tab=reviews&status=pending&q=${encodeURIComponent(customer.email)}`);
  const review = page.getByRole('article', { name: product.name });
  await expect(review).toContainText('Plays wellBought on Friday,');
  await looksRightEverywhere(page, [360]);
  await page.getByRole('button', { name: `Publish the review of ${product.name} by ${customer.name}` }).click();
  await expect(toast(page)).toContainText('The review is published');
  await page.getByLabel('Status').selectOption('Published');
  await review.getByRole('button', { name: /^Reply to/ }).click();
  await expect(page.getByLabel('Reply', { exact: true })).toBeFocused();
  await page.getByLabel('Reply', { exact: true }).fill('Thank you for playing.');
  await press(page, 'Save reply');
  await expect(review).toContainText('Your replyThank you for playing.');
  await expect(review.getByRole('button', { name: /^Change reply to the review of / })).toHaveText('Change reply');

  // The catalogue's answers are cached for a second.
  await expect(async () => {
    await visitor.reload();
    await expect(section(visitor)).toContainText('Reply of the shop', { timeout: 1_000 });
  }).toPass();
  const shown = section(visitor).getByRole('article');
  await expect(shown).toContainText(`Plays wellBought on Friday,\nfinished on Sunday.`);
  await expect(shown).toContainText('Verified buyer');
  await expect(section(visitor)).not.toContainText(customer.email);
  await expect(section(visitor).getByRole('list', { name: 'By stars' })).toContainText('4 stars1');
  await expect(section(visitor).getByRole('link')).toHaveCount(0);
  await looksRightEverywhere(visitor, [1440, 360]);

  await buyer.reload();
  await expect(main(buyer)).toContainText('PublishedEverybody can read it.');
  await press(buyer, 'Delete review');
  await buyer.getByRole('dialog').getByRole('button', { name: 'Delete review' }).click();
  await expect(buyer.getByRole('heading', { name: 'Write a review' })).toBeVisible();
  await expect(buyer.getByLabel('Review', { exact: true })).toHaveValue('');
});

test('a half-edited review stays in the form when the shop publishes it meanwhile', async ({
  page,
  customer,
  shop,
  stockUp,
  signedIn,
}) => {
  const product = await stockUp();
  await buyAsCustomer(shop, customer, [{ product, quantity: 1 }]);
  const text = page.getByLabel('Review', { exact: true });
  await signedIn(page, customer);
  await page.clock.install();
  await page.goto(`/review/${product.id}`);
  await page.getByRole('radio', { name: '4 stars' }).press('Space');
  await text.fill('Plays well.');
  await press(page, 'Send review');
  await expect(main(page)).toContainText('WaitingThe shop reads it first.');
  await text.fill('Plays well. The sound');
  await shop.db.updateTable('reviews').set({ state: 'published' }).where('product_id', '=', product.id).execute();
  // Returning to the tab after half a minute reloads the review.
  await page.clock.runFor(31_000);
  await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')));
  await expect(main(page)).toContainText('PublishedEverybody can read it.');
  await expect(text).toHaveValue('Plays well. The sound');
});

test('a failed load of more reviews shows an error', async ({
  page,
  customer,
  shop,
  stockUp,
  signedIn,
  complaints,
}) => {
  const product = await stockUp();
  await buyAsCustomer(shop, customer, [{ product, quantity: 1 }]);
  await makeReview(shop, product.id, customer.id, { state: 'published' });
  // The first page says that there is another one, which does not arrive.
  await page.route('**/api/reviews?*', async (route) => {
    if (route.request().url().includes('cursor=')) return route.fulfill({ status: 400, json: {} });
    const response = await route.fetch();
    return route.fulfill({ response, json: { ...(await response.json()), nextCursor: 'next' } });
  });
  complaints.expectFailedRequest('/api/reviews', 400);
  // The page of a product brings its first reviews along; a screen that is opened by a link asks for them.
  await signedIn(page, customer);
  await page.goto(`/review/${product.id}`);
  await page.getByRole('link', { name: 'Back to the product' }).click();
  await press(page, 'More reviews');
  await expect(section(page).getByRole('alert')).toHaveText('The next reviews did not load.');
  await expect(page.getByText('Plays well.')).toBeVisible();
});

test('an author without a name is shown by the email, once', async ({ page, admin: _, shop, stockUp }) => {
  const author = await makeUser(shop, { name: '' });
  const product = await stockUp();
  await buyAsCustomer(shop, author, [{ product, quantity: 1 }]);
  await makeReview(shop, product.id, author.id);
  await page.goto(`/admin?tab=reviews&q=${encodeURIComponent(product.name)}`);
  const review = page.getByRole('article', { name: product.name });
  await expect(review).not.toContainText(`${author.email} · ${author.email}`);
  await expect(review).toContainText(`${author.email} · Order #`);
  await expect(
    review.getByRole('button', { name: `Reply to the review of ${product.name} by ${author.email}` }),
  ).toBeVisible();

  await review.getByRole('link', { name: author.email }).click();
  await press(page, 'Block');
  await expect(page.getByRole('dialog')).toContainText(`${author.email} is signed out everywhere`);
});

test('a review that is written from right to left is shown so, in the form and in the shop', async ({
  page,
  customer,
  shop,
  stockUp,
  signedIn,
}) => {
  const product = await stockUp();
  await buyAsCustomer(shop, customer, [{ product, quantity: 1 }]);
  const [title, text] = ['ممتاز!', 'وصل المفتاح في ثوان.'];
  await makeReview(shop, product.id, customer.id, { title, text, state: 'published' });
  await signedIn(page, customer);
  await page.goto(`/review/${product.id}`);
  await expect(page.getByLabel('Title')).toHaveCSS('direction', 'rtl');
  await expect(page.getByLabel('Review', { exact: true })).toHaveCSS('direction', 'rtl');
  await page.getByLabel('Review', { exact: true }).fill('It came in seconds.');
  await expect(page.getByLabel('Review', { exact: true })).toHaveCSS('direction', 'ltr');

  await page.goto(`/digital-product/${product.id}`);
  await expect(section(page).getByText(title)).toHaveCSS('direction', 'rtl');
  await expect(section(page).getByText(text)).toHaveCSS('direction', 'rtl');
});

test('a rejected review shows the reason, and a customer without a purchase cannot review', async ({
  page,
  customer,
  shop,
  stockUp,
  signedIn,
}) => {
  const product = await stockUp();
  await buyAsCustomer(shop, customer, [{ product, quantity: 1 }]);
  const rejected = { text: 'Ask Ali on Jalan Melati.', state: 'rejected', reject_reason: 'It names a person' } as const;
  await makeReview(shop, product.id, customer.id, rejected);
  await signedIn(page, customer);
  await page.goto(`/review/${product.id}`);
  await expect(main(page)).toContainText('Not publishedYou can change it and send it again.');
  await expect(main(page)).toContainText('Reason of the shopIt names a person');
  await page.goto(`/review/${await makePhysicalProduct(shop)}`);
  await expect(page.getByRole('heading', { name: 'Nothing to review here' })).toBeVisible();
});

test('a typed reply survives a change of its review and can be sent after the new text is shown', async ({
  page,
  admin: _,
  customer,
  shop,
  stockUp,
  complaints,
}) => {
  complaints.expectFailedRequest(/^\/api\/admin\/reviews\//, 409);
  const product = await stockUp();
  await buyAsCustomer(shop, customer, [{ product, quantity: 1 }]);
  await makeReview(shop, product.id, customer.id);
  await page.goto(`/admin?tab=reviews&q=${encodeURIComponent(customer.email)}`);
  await page.getByRole('button', { name: /^Reply to/ }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('5 of 5 starsPlays well.');
  await dialog.getByLabel('Reply').fill('Thank you for playing.');
  const changed = { text: 'It does not start any more.', stars: 1, version: 2 };
  await shop.db.updateTable('reviews').set(changed).where('product_id', '=', product.id).execute();
  await press(page, 'Save reply');
  await expect(dialog.getByRole('alert')).toContainText('This review was changed meanwhile. Read it once more.');
  await expect(dialog).toContainText('1 of 5 starsIt does not start any more.');
  await dialog.getByLabel('Reply').fill('Please report the problem.');
  await press(page, 'Save reply');
  await expect(toast(page)).toContainText('The reply is saved');
});

test('a typed review survives an ended session, for its author only', async ({
  page,
  customer,
  shop,
  stockUp,
  signedIn,
  complaints,
}) => {
  complaints.expectFailedRequest(/^\/api\//, 401);
  const product = await stockUp();
  await buyAsCustomer(shop, customer, [{ product, quantity: 1 }]);
  await signedIn(page, customer);
  await page.goto(`/review/${product.id}`);
  await page.getByRole('radio', { name: '4 stars' }).press('Space');
  await page.getByLabel('Review', { exact: true }).fill('A long text about how it plays.');
  await awaitCalls(page);
  await shop.db.updateTable('sessions').set({ revoked_at: new Date() }).where('user_id', '=', customer.id).execute();
  await press(page, 'Send review');
  await expect(page).toHaveURL('/login');
  await signIn(page, { email: customer.email, password: TEST_PASSWORD });
  await expect(page).toHaveURL(`/review/${product.id}`);
  await expect(page.getByLabel('Review', { exact: true })).toHaveValue('A long text about how it plays.');
  await expect(page.getByRole('radio', { name: '4 stars' })).toBeChecked();
  await press(page, 'Send review');
  await expect(toast(page)).toContainText('Thank you!');
  await expect(page.getByLabel('Review', { exact: true })).toHaveValue('A long text about how it plays.');
});

async function beginReview(page: Page, { name }: { name: string }) {
  const link = page.getByRole('link', { name: `Review of ${name}` });
  const text = page.getByLabel('Review', { exact: true });
  await page.goto('/orders');
  await link.click();
  await text.fill('Bought on Friday');
  return { link, text };
}

test('a half-written review is kept when its page is left, until it is sent', async ({
  page,
  shop,
  stockUp,
  customer,
  signedIn,
}) => {
  const asked = acceptQuestions(page);
  const product = await stockUp();
  await buyAsCustomer(shop, customer, [{ product, quantity: 1 }]);
  await signedIn(page, customer);
  const { link, text } = await beginReview(page, product);
  await page.goBack();
  await link.click();
  await expect(text).toHaveValue('Bought on Friday');
  await page.getByRole('radio', { name: '4 stars' }).press('Space');
  await press(page, 'Send review');
  await expect(toast(page)).toContainText('Thank you!');
  await text.fill('Sold on Saturday');
  await text.fill('Bought on Friday');
  await page.reload();
  await expect(text).toHaveValue('Bought on Friday');
  expect(asked).toEqual([]);
});

test('a review that is sent while its page is left is not kept as half-written', async ({
  page,
  shop,
  stockUp,
  customer,
  signedIn,
}) => {
  const asked = acceptQuestions(page);
  const product = await stockUp();
  await buyAsCustomer(shop, customer, [{ product, quantity: 1 }]);
  await signedIn(page, customer);
  const { link, text } = await beginReview(page, product);
  await page.getByRole('radio', { name: '4 stars' }).press('Space');
  const held = await holdBack(page, `/api/my-reviews/${product.id}`);
  await press(page, 'Send review');
  await held.made;
  await page.goBack();
  await expect(link).toBeVisible();
  held.letGo();
  await expect(toast(page)).toContainText('Thank you!');
  await link.click();
  await expect(text).toHaveValue('Bought on Friday');
  await page.reload();
  await expect(text).toHaveValue('Bought on Friday');
  expect(asked).toEqual([]);
});
