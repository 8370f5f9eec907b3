import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';
import { testOfKit as test, testOfDevServer } from './dev-server.ts';
import { test as testOfBuild } from './fixtures.ts';
import { standsStill } from './looks-right.ts';

// One worker runs the whole file, because each worker that runs one of its tests must start the development server.
test.describe.configure({ mode: 'default' });

async function openKit(page: Page): Promise<void> {
  await page.goto('/');
  // On the first visit, Vite finds out which packages the page needs, and may reload it.
  await expect(page.getByRole('heading', { name: 'Containers' })).toBeVisible({ timeout: 40_000 });
}

test('the components work by mouse and keyboard and have no accessibility violation in either theme', async ({
  page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await openKit(page);

  await test.step('the page has no accessibility violation in either theme', async () => {
    for (const theme of ['light', 'dark']) {
      await page.evaluate((dark) => document.documentElement.classList.toggle('dark', dark), theme === 'dark');
      await standsStill(page);
      const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
      expect(violations.map(({ id, nodes }) => [theme, id, nodes.map(({ html }) => html)])).toEqual([]);
    }
    await page.evaluate(() => document.documentElement.classList.remove('dark'));
  });

  await test.step('the arrow keys move between tabs', async () => {
    await page.getByRole('tab', { name: 'Products 3' }).focus();
    await page.keyboard.press('ArrowRight');
    await expect(page.getByRole('tab', { name: 'Orders 0' })).toHaveAttribute('aria-selected', 'true');
    await expect(page.getByRole('tabpanel')).toHaveText('No orders yet');
    await page.keyboard.press('ArrowLeft');
    await expect(page.getByRole('tabpanel').getByRole('table', { name: 'Products' })).toBeVisible();
  });

  await test.step('a code field accepts digits only, takes a pasted code, and deletes digit by digit', async () => {
    const first = page.getByRole('textbox', { name: 'OtpField', exact: true });
    await first.focus();
    await page.keyboard.press('ControlOrMeta+a');
    await page.evaluate(() => navigator.clipboard.writeText('98 76-54'));
    await page.keyboard.press('ControlOrMeta+v');
    const digits = page.getByRole('group', { name: 'OtpField', exact: true }).getByRole('textbox');
    await expect(digits.nth(0)).toHaveValue('9');
    await expect(digits.nth(5)).toHaveValue('4');
    await digits.nth(5).press('Backspace');
    await expect(digits.nth(5)).toHaveValue('');
    await digits.nth(5).focus();
    await page.keyboard.type('x7');
    await expect(digits.nth(5)).toHaveValue('7');
  });

  await test.step('a closing dialog hides at once, and does not shrink to its title', async () => {
    await page.getByRole('button', { name: 'Open dialog' }).click();
    const dialog = page.locator('dialog', { hasText: 'Delete this product?' });
    await expect(dialog).toHaveCSS('opacity', '1');
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Animation.enable');
    await devtools.send('Animation.setPlaybackRate', { playbackRate: 0.01 });
    await page.keyboard.press('Escape');
    await expect(dialog).not.toHaveAttribute('open');
    expect(await dialog.evaluate((element) => getComputedStyle(element).opacity)).toBe('0');
    await devtools.send('Animation.setPlaybackRate', { playbackRate: 1 });
    await devtools.detach();
  });

  await test.step('a dialog and a drawer trap the focus, close on Escape and return the focus', async () => {
    for (const name of ['Open dialog', 'Open drawer']) {
      const opener = page.getByRole('button', { name });
      await opener.click();
      const dialog = page.getByRole('dialog');
      await expect(dialog).toBeVisible();
      expect(await dialog.evaluate((element) => element.contains(document.activeElement))).toBe(true);
      await page.keyboard.press('Escape');
      await expect(dialog).toBeHidden();
      await expect(opener).toBeFocused();
    }
  });

  await test.step('each known status has its own colour, and an unknown status is neutral', async () => {
    const colourOf = (words: string) =>
      page.getByText(words, { exact: true }).evaluate((badge) => getComputedStyle(badge).backgroundColor);
    const neutral = await colourOf('Unheard of');
    expect(neutral).toBe(await colourOf('neutral'));
    for (const status of 'Processing Shipped Delivered Cancelled Pending Completed Active Inactive'.split(' ')) {
      expect([status, await colourOf(status)]).not.toEqual([status, neutral]);
    }
  });
});

test('toasts come in four types, disappear after 3000 ms, and stay when their duration is 0', async ({ page }) => {
  await page.clock.install();
  await openKit(page);
  await page.clock.pauseAt(new Date(Date.now() + 600_000));
  const shown = page.getByRole('region', { name: 'Notifications' }).getByRole('listitem');
  for (const type of ['success', 'error', 'warning', 'info']) {
    await page.getByRole('button', { name: `Show ${type}` }).click();
  }
  await expect(shown).toHaveText([
    'Done: A toast of success',
    'Error: A toast of error',
    'Warning: A toast of warning',
    'Note: A toast of info',
  ]);
  await page.getByRole('button', { name: 'Show one that stays' }).click();
  await expect(shown).toHaveCount(5);
  await page.mouse.move(0, 0);
  await page.clock.runFor(3000);
  await expect(shown).toHaveCount(1);
  await page.clock.runFor(600_000);
  await expect(shown).toContainText('Neon Apex RallyStays until closed');
});

testOfDevServer('the development server shows the shop', async ({ page }) => {
  await page.goto('/login');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible({ timeout: 40_000 });
});

testOfBuild('a build has no kit: its address leads home', async ({ page, complaints }) => {
  complaints.expectFailedRequest('/kit', 404);
  await page.goto('/kit');
  await expect(page).toHaveURL('/');
  const scripts = await page.evaluate(() =>
    performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname),
  );
  expect(scripts.filter((path) => path.includes('kit'))).toEqual([]);
});
