import { expect, type Page } from '@playwright/test';
import { makeUser, TEST_PASSWORD } from '../factories.ts';
import { test } from './fixtures.ts';
import { looksRightEverywhere } from './looks-right.ts';
import { mailTo, openLink } from './mails.ts';
import {
  choosePassword,
  fillContact,
  newEmail,
  openCheckout,
  openItems,
  PASSWORD,
  pay,
  readKey,
  seesSuccess,
  signIn,
} from './steps.ts';

const main = (page: Page) => page.getByRole('main');
const subject = /^Verify your email to open your order/;
const verification = (page: Page) => page.getByRole('region', { name: 'Email verification' });
const sendLink = (page: Page) => verification(page).getByRole('button', { name: 'Send verification mail' });

test('a guest order with the email of an unverified account opens only through the mailed link', async ({
  page,
  otherBrowser,
  shop,
  stockUp,
  signedIn,
  complaints,
}) => {
  const squatter = await makeUser(shop, { email: newEmail(), email_verified_at: null });
  const elsewhere = await otherBrowser();
  await signedIn(elsewhere, squatter);
  await elsewhere.goto('/orders');
  await expect(elsewhere.getByRole('heading', { name: 'No Orders Yet' })).toBeVisible();
  await expect(verification(elsewhere).getByRole('heading')).toHaveText('Verify your email');

  const product = await stockUp();
  await openCheckout(page, [{ product }]);
  await fillContact(page, { email: squatter.email });
  await pay(page);
  await seesSuccess(page);
  await expect(main(page)).toContainText(`There is an account for ${squatter.email} already`);
  await expect(main(page).getByRole('listitem')).toHaveText([
    /^Open the mail/,
    /^Choose a new password/,
    /^You are signed in/,
  ]);
  await expect(main(page)).toContainText(/Find your order with its number, #[0-9A-F]{8}/);
  const waits = `A paid order is waiting: verify ${squatter.email}`;
  await expect(verification(page).getByRole('heading')).toHaveText(waits);
  await looksRightEverywhere(page);

  await elsewhere.reload();
  await expect(verification(elsewhere).getByRole('heading')).toHaveText('Verify your email');
  await expect(main(elsewhere)).not.toContainText('waiting');

  const firstMail = await mailTo(shop, { email: squatter.email, subject });
  await page.goto('/login');
  await expect(verification(page).getByRole('heading')).toHaveText(waits);
  await sendLink(page).click();
  await expect(verification(page).getByRole('status')).toHaveText(
    `We have mailed a link to ${squatter.email}. Open it to verify the address.`,
  );
  await looksRightEverywhere(page);
  const mail = await mailTo(shop, { email: squatter.email, subject, after: firstMail });
  await openLink(page, mail);
  await expect(page).toHaveURL('/claim');
  await choosePassword(page, 'the-owner-chose-this');
  await page.getByRole('button', { name: 'Set password and sign in' }).click();
  await openItems(page);
  expect(await readKey(page)).toBe(product.keys[0]);

  complaints.expectFailedRequest(/^\/api\//, 401);
  await elsewhere.reload();
  await expect(elsewhere).toHaveURL('/login');

  complaints.expectFailedRequest('/api/auth/claim', 400);
  await openLink(elsewhere, mail);
  await choosePassword(elsewhere);
  await elsewhere.getByRole('button', { name: 'Set password and sign in' }).click();
  const refusal = main(elsewhere).getByRole('alert');
  await expect(refusal).toContainText('This link has been used or has expired');
  await refusal.getByRole('link', { name: 'find your order' }).click();
  await expect(elsewhere).toHaveURL('/find-order');
});

test('a guest order with the email of a verified account opens after a sign-in with the password of the account', async ({
  page,
  customer,
  stockUp,
  complaints,
}) => {
  complaints.expectFailedRequest('/api/auth/login', 401);
  const product = await stockUp();
  await openCheckout(page, [{ product }]);
  await fillContact(page, { email: customer.email });
  await pay(page);
  await seesSuccess(page);
  await expect(main(page)).toContainText('already has an account here, and your order is in it');
  await looksRightEverywhere(page);
  await main(page).getByRole('link', { name: 'Sign In' }).click();
  await signIn(page, { email: customer.email, password: PASSWORD });
  await expect(main(page).getByRole('alert')).toHaveText('Invalid email or password');
  await signIn(page, { email: customer.email, password: TEST_PASSWORD });
  await openItems(page);
  expect(await readKey(page)).toBe(product.keys[0]);
});

test('a guest with two orders and an unverified email verifies it from My Orders and then sees both orders', async ({
  page,
  otherBrowser,
  shop,
  stockUp,
}) => {
  const email = newEmail();
  const [first, second] = [await stockUp(), await stockUp()];
  await openCheckout(page, [{ product: first }]);
  await fillContact(page, { email });
  await pay(page);
  await seesSuccess(page);

  const laptop = await otherBrowser();
  await openCheckout(laptop, [{ product: second }]);
  await fillContact(laptop, { email });
  await choosePassword(laptop, 'another-password');
  await pay(laptop);
  await seesSuccess(laptop);
  await main(laptop).getByRole('link', { name: 'sign in' }).click();
  await signIn(laptop, { email, password: PASSWORD });

  await expect(laptop).toHaveURL('/orders');
  await expect(laptop.getByRole('article')).toHaveCount(1);
  const heading = verification(laptop).getByRole('heading');
  await expect(heading).toHaveText(`A paid order is waiting: verify ${email}`);
  await looksRightEverywhere(laptop);
  await sendLink(laptop).click();
  await openLink(laptop, await mailTo(shop, { email, subject: /^Confirm your email address/ }));
  await laptop.getByRole('button', { name: 'Confirm my email' }).click();
  await main(laptop).getByRole('link', { name: 'My Orders' }).click();

  await expect(laptop.getByRole('article')).toHaveCount(2);
  await expect(verification(laptop)).toBeHidden();
  await laptop
    .getByRole('link', { name: /^View Items/ })
    .first()
    .click();
  expect(await readKey(laptop)).toBe(second.keys[0]);
});
