import { expect, type Page } from '@playwright/test';
import { makeUser, TEST_PASSWORD } from '../factories.ts';
import { createShopper } from '../shopper.ts';
import { test } from './fixtures.ts';
import { looksRightEverywhere } from './looks-right.ts';
import { mailTo, openLink } from './mails.ts';
import { newEmail } from './steps.ts';

const card = (page: Page, name: string) => page.getByRole('main').getByRole('region', { name });
const details = (page: Page) => card(page, 'My Details');
const edit = (page: Page) => details(page).getByRole('button', { name: 'Edit Profile' });
const save = (page: Page) => details(page).getByRole('button', { name: 'Save Changes' });
// While the countries load, their placeholder in the form is a status, too.
const success = (page: Page) => details(page).getByRole('status').filter({ hasNotText: 'Loading' });

/** Returns the value beside a label. */
const entry = (page: Page, label: string) =>
  details(page).getByText(label, { exact: true }).locator('xpath=following-sibling::dd');

test('a customer sees name, email, role and details, and which details are missing', async ({
  page,
  customer,
  signedIn,
}) => {
  await signedIn(page, customer);
  await page.goto('/profile');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(customer.name);
  await expect(page.getByText('Customer', { exact: true })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Admin Dashboard' })).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Send verification mail' })).toHaveCount(0);
  for (const [label, value] of [
    ['Name', customer.name],
    ['Email', customer.email],
    ['Phone', 'Not given'],
    ['Street', 'Not given'],
    ['City', 'Not given'],
    ['State', 'Not given'],
    ['Zip Code', 'Not given'],
    ['Country', 'Malaysia'],
  ] as const) {
    await expect(entry(page, label)).toHaveText(value);
  }
});

test('an administrator sees the Admin badge, a prompt to enable two-factor, and a link to the dashboard', async ({
  page,
  shop,
  signedIn,
}) => {
  await signedIn(page, await makeUser(shop, { role: 'admin' }));
  await page.goto('/profile');
  await expect(page.getByText('Admin', { exact: true })).toBeVisible();
  await expect(card(page, 'Two-Factor Authentication')).toContainText('Please enable 2FA');
  await page.getByRole('link', { name: 'Admin Dashboard' }).click();
  await expect(page).toHaveURL('/admin');
  await expect(page.getByRole('heading', { name: 'Admin Dashboard' })).toBeVisible();
});

test('edited details are saved and survive a reload', async ({ page, customer, signedIn, complaints }) => {
  complaints.expectFailedRequest('/api/auth/updatedetails', 400);
  const changed = {
    Name: 'Nurul Huda',
    Phone: '+60 12 345 6789',
    Street: '12 Jalan Sultan',
    City: 'Kuala Lumpur',
    State: 'Kuala Lumpur',
    'Zip Code': '50000',
  };
  await signedIn(page, customer);
  await page.goto('/profile');
  await edit(page).click();
  await expect(page.getByLabel('Name')).toBeFocused();
  await expect(page.getByLabel('Country')).toHaveValue('Malaysia');
  for (const [label, limit] of [
    ['Name', '100'],
    ['Email', '254'],
    ['Zip Code', '20'],
  ] as const) {
    await expect(page.getByLabel(label)).toHaveAttribute('maxlength', limit);
  }
  const { State: state, ...typed } = changed;
  await page.getByLabel('State').selectOption(state);
  for (const [label, value] of Object.entries(typed)) await page.getByLabel(label).fill(value);
  await page.getByLabel('Zip Code').fill('ABC');
  await save(page).click();
  await expect(page.getByLabel('Zip Code')).toHaveAccessibleDescription('Please enter a zip code of Malaysia');
  // Where there is no list, the state is free text; a state of another country is not kept.
  await page.getByLabel('Country').selectOption('Singapore');
  await expect(page.getByLabel('State')).toHaveAttribute('maxlength', '100');
  await page.getByLabel('Country').selectOption('Australia');
  await expect(page.getByLabel('State')).toHaveValue('');
  await page.getByLabel('Country').selectOption('Malaysia');
  await page.getByLabel('State').selectOption(state);
  await page.getByLabel('Zip Code').fill(typed['Zip Code']);
  await save(page).click();

  await expect(success(page)).toHaveText('Profile updated');
  await expect(edit(page)).toBeFocused();
  for (const _ of ['as saved', 'after a reload']) {
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Nurul Huda');
    for (const [label, value] of Object.entries(changed)) await expect(entry(page, label)).toHaveText(value);
    await page.reload();
  }
});

test('a success message disappears after three seconds', async ({ page, customer, signedIn }) => {
  await page.clock.install();
  await signedIn(page, customer);
  await page.goto('/profile');
  await edit(page).click();
  await page.clock.pauseAt(Date.now() + 60_000);
  await save(page).click();
  await expect(success(page)).toHaveText('Profile updated');
  await page.clock.runFor(2900);
  await expect(success(page)).toHaveText('Profile updated');
  await page.clock.runFor(200);
  await expect(success(page)).toBeEmpty();
});

async function savePhoneInAnotherTab(page: Page, phone: string): Promise<void> {
  const other = await page.context().newPage();
  await other.goto('/profile');
  await edit(other).click();
  await other.getByLabel('Phone').fill(phone);
  await save(other).click();
  await expect(success(other)).toHaveText('Profile updated');
}

test('saving one field does not undo another field that another tab has saved', async ({
  page,
  customer,
  signedIn,
}) => {
  await signedIn(page, customer);
  await page.goto('/profile');
  await edit(page).click();
  await page.getByLabel('Name').fill('Aminah of This Tab');
  await savePhoneInAnotherTab(page, '+60 12-345 6789');
  await expect(page.getByLabel('Phone')).toHaveValue('+60 12-345 6789');
  await expect(page.getByLabel('Name')).toHaveValue('Aminah of This Tab');
  await save(page).click();
  await expect(success(page)).toHaveText('Profile updated');
  await page.reload();
  await expect(entry(page, 'Name')).toHaveText('Aminah of This Tab');
  await expect(entry(page, 'Phone')).toHaveText('+60 12-345 6789');
});

test('details that are kept while their page is left do not undo what another tab saves meanwhile', async ({
  page,
  customer,
  signedIn,
}) => {
  await signedIn(page, customer);
  await page.goto('/profile');
  await edit(page).click();
  await page.getByLabel('Name').fill('Aminah of This Tab');
  await page.getByRole('banner').getByRole('link', { name: 'Kedai' }).click();
  await expect(page.getByRole('heading', { name: 'Products' })).toBeVisible();
  await savePhoneInAnotherTab(page, '+60 12-345 6789');
  await page.goBack();
  await expect(page.getByLabel('Phone')).toHaveValue('+60 12-345 6789');
  await save(page).click();
  await expect(entry(page, 'Name')).toHaveText('Aminah of This Tab');
  await expect(entry(page, 'Phone')).toHaveText('+60 12-345 6789');
});

test('Cancel restores the stored values', async ({ page, customer, signedIn }) => {
  await signedIn(page, customer);
  await page.goto('/profile');
  await edit(page).click();
  await page.getByLabel('Name').fill('Somebody Else');
  await page.getByLabel('City').fill('Ipoh');
  await details(page).getByRole('button', { name: 'Cancel' }).click();
  await expect(edit(page)).toBeFocused();
  await expect(entry(page, 'Name')).toHaveText(customer.name);
  await expect(entry(page, 'City')).toHaveText('Not given');
  await edit(page).click();
  await expect(page.getByLabel('Name')).toHaveValue(customer.name);
  await expect(page.getByLabel('City')).toHaveValue('');
});

test('errors are shown at their fields, and a refusal without a message shows "Failed to update profile"', async ({
  page,
  customer,
  signedIn,
  complaints,
}) => {
  const path = '/api/auth/updatedetails';
  await signedIn(page, customer);
  await page.goto('/profile');
  await edit(page).click();
  await page.getByLabel('Name').fill('  ');
  await page.getByLabel('Email').fill('no address');
  await save(page).click();
  await expect(page.getByLabel('Name')).toHaveAccessibleDescription('Please enter your name');
  await expect(page.getByLabel('Email')).toHaveAccessibleDescription('Please enter a valid email address');

  await page.getByLabel('Name').fill('Nurul Huda');
  await page.getByLabel('Email').fill(customer.email);
  for (const [answer, words] of [
    [{}, 'Failed to update profile'],
    [{ message: 'We are moving house' }, 'We are moving house'],
  ] as const) {
    complaints.expectFailedRequest(path, 403);
    await page.route(path, (route) => route.fulfill({ status: 403, json: answer }));
    await save(page).click();
    await expect(details(page).getByRole('alert')).toHaveText(words);
    await page.unroute(path);
  }
  await page.route(path, (route) =>
    route.fulfill({ status: 403, json: { message: 'No such city', field: 'address.city' } }),
  );
  await save(page).click();
  await expect(page.getByLabel('City')).toHaveAccessibleDescription('No such city');
  await expect(page.getByLabel('City')).toBeFocused();
});

test('a new email takes effect when its mailed link is opened, and the old address is notified', async ({
  page,
  shop,
  customer,
  signedIn,
}) => {
  const email = newEmail();
  await signedIn(page, customer);
  await page.goto('/profile');
  await edit(page).click();
  await page.getByLabel('Email').fill(email.toUpperCase());
  await save(page).click();
  await expect(details(page)).toContainText(`We have mailed a link to ${email}.`);
  await expect(details(page)).toContainText(`Until it is opened, ${customer.email} stays your address.`);
  await expect(entry(page, 'Email')).toHaveText(customer.email);
  expect((await createShopper(shop.url).signIn(email, TEST_PASSWORD)).status).toBe(401);

  await openLink(page, await mailTo(shop, { email, subject: /Confirm your new email/ }));
  await page.getByRole('button', { name: 'Confirm my email' }).click();
  await expect(page.getByRole('heading', { name: 'Email confirmed' })).toBeVisible();
  await page.goto('/profile');
  await expect(entry(page, 'Email')).toHaveText(email);
  await mailTo(shop, { email: customer.email, subject: /Your email address was changed/ });
  expect((await createShopper(shop.url).signIn(email, TEST_PASSWORD)).status).toBe(200);
  expect((await createShopper(shop.url).signIn(customer.email, TEST_PASSWORD)).status).toBe(401);
});

test('an unverified email can be verified by a mailed link', async ({ page, shop, signedIn }) => {
  const user = await makeUser(shop, { email_verified_at: null });
  await signedIn(page, user);
  await page.goto('/profile');
  await page.getByRole('button', { name: 'Send verification mail' }).click();
  await expect(page.getByText(`We have mailed a link to ${user.email}.`)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Send verification mail' })).toHaveCount(0);

  await openLink(page, await mailTo(shop, { email: user.email, subject: /Confirm your email/ }));
  await page.getByRole('button', { name: 'Confirm my email' }).click();
  await expect(page.getByRole('heading', { name: 'Email confirmed' })).toBeVisible();
  await page.goto('/profile');
  await expect(page.getByRole('heading', { name: 'My Details' })).toBeVisible();
  await expect(page.getByText('Please verify that this address is yours.')).toHaveCount(0);
});

test('a pending email is shown on the profile, can be mailed again, and can be cancelled', async ({
  page,
  shop,
  customer,
  signedIn,
  complaints,
}) => {
  const email = newEmail();
  const subject = /Confirm your new email/;
  const waiting = details(page).getByText(`We have mailed a link to ${email}.`);
  await signedIn(page, customer);
  await page.goto('/profile');
  await edit(page).click();
  await page.getByLabel('Email').fill(email);
  await save(page).click();
  await expect(waiting).toBeVisible();
  const first = await mailTo(shop, { email, subject });
  await page.reload();
  await expect(waiting).toBeVisible();
  await looksRightEverywhere(page);

  const sendAgain = page.getByRole('button', { name: 'Send the link again' });
  complaints.expectFailedRequest('/api/auth/pendingemail', 500);
  await page.route('/api/auth/pendingemail', (route) =>
    route.request().method() === 'POST' ? route.fulfill({ status: 500, json: {} }) : route.continue(),
  );
  await sendAgain.click();
  await expect(page.getByText('Update failed')).toBeVisible();
  await page.unroute('/api/auth/pendingemail');
  await sendAgain.click();
  await expect(success(page)).toHaveText('The link is on its way again');
  await expect(page.getByText('Update failed')).toBeHidden();
  const second = await mailTo(shop, { email, subject, after: first });
  await page.getByRole('button', { name: 'Cancel the change' }).click();
  await expect(success(page)).toHaveText('Your email stays as it is');
  await expect(waiting).toBeHidden();
  await page.reload();
  await expect(entry(page, 'Email')).toHaveText(customer.email);
  await expect(waiting).toBeHidden();

  complaints.expectFailedRequest('/api/auth/confirmemail', 400);
  await openLink(page, second);
  await page.getByRole('button', { name: 'Confirm my email' }).click();
  await expect(page.getByRole('heading', { name: 'This link has been used or has expired' })).toBeVisible();
});
