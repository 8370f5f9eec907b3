import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, type Locator, type Page, test } from '@playwright/test';

const WIDTHS = [1440, 360];
// Also tried for things beyond the edge: tablets, and a window of 1280 at 200 % zoom.
const WIDTHS_BETWEEN = [1024, 768, 640];
const THEMES = ['light', 'dark'];

interface Axe {
  run(
    root: Document,
    options: { resultTypes: string[]; runOnly?: string[] },
  ): Promise<{ violations: { id: string; nodes: { target: string[]; failureSummary?: string }[] }[] }>;
}

const axeFile = createRequire(import.meta.resolve('@axe-core/playwright')).resolve('axe-core/axe.min.js');
const axeScript = `${readFileSync(axeFile, 'utf8')};undefined`;

/** Returns the width of a page, which is more than that of the window if something widens it. */
export const pageWidth = (page: Page): Promise<number> => page.evaluate(() => document.documentElement.scrollWidth);

/** Expects no accessibility violation and no overflow, in both themes. */
export function looksRightEverywhere(page: Page, widths = WIDTHS): Promise<void> {
  const rule = `accessibility and layout in both themes, at widths of ${widths.join(' and ')}`;
  return test.step(rule, () => lookEverywhere(page, widths));
}

async function lookEverywhere(page: Page, widths: number[]): Promise<void> {
  await expect(page.locator('#splash')).toBeHidden();
  await switchTransitions(page, 'off');
  for (const [column, width] of widths.entries()) {
    await page.setViewportSize({ width, height: 900 });
    // Every second width begins with the theme with which the one before ended: a change of theme redraws the whole
    // page.
    for (const [row, theme] of (column % 2 === 0 ? THEMES : THEMES.toReversed()).entries()) {
      await changeTheme(page, theme);
      await standsStill(page);
      const where = `in ${theme}, ${width} wide`;
      // Themes differ in colours only: every theme and every width has all rules once, and the rules of colour each
      // time.
      const rules = row === 0 || widths.length === 1 ? 'all' : 'of colour';
      expect.soft(await faults(page, rules), `accessibility violations ${where}`).toEqual([]);
      expect.soft(await beyondTheEdge(page), `things beyond the edge ${where}`).toEqual([]);
    }
  }
  for (const width of widths === WIDTHS ? WIDTHS_BETWEEN : []) {
    await page.setViewportSize({ width, height: 900 });
    expect.soft(await beyondTheEdge(page), `things beyond the edge, ${width} wide`).toEqual([]);
  }
  await switchTransitions(page, 'on');
}

/** Switches transitions, so that a theme applies at once and not after a dozen frames of every element's colours. */
function switchTransitions(page: Page, to: 'on' | 'off'): Promise<void> {
  return page.evaluate((isOff) => {
    const sheets = document.adoptedStyleSheets.filter(({ cssRules: [rule] }) => !rule?.cssText.includes('transition'));
    const sheet = new CSSStyleSheet();
    sheet.replaceSync('*, ::before, ::after { transition: none !important }');
    document.adoptedStyleSheets = isOff ? [...sheets, sheet] : sheets;
  }, to === 'off');
}

/** Changes the theme as another tab does: that tab writes the value, and the browser notifies this one. */
export async function changeTheme(page: Page, theme: string): Promise<void> {
  await page.evaluate((value) => {
    localStorage.setItem('theme', value);
    window.dispatchEvent(new StorageEvent('storage', { key: 'theme' }));
  }, theme);
  await expect(page.locator('html')).toHaveClass(theme === 'dark' ? /dark/ : /^(?!.*dark)/);
}

/** Waits for the end of animations: colours between two themes belong to neither. Endless animations are ignored. */
export async function standsStill(page: Page): Promise<void> {
  await page.waitForFunction(() =>
    document.getAnimations().every(({ effect }) => effect?.getComputedTiming().endTime === Number.POSITIVE_INFINITY),
  );
}

/** Calls axe itself: its builder transfers the whole report of every rule, and configures the script at every look. */
export async function faults(page: Page, rules: 'all' | 'of colour' = 'all'): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeScript);
  return page.evaluate(
    async (runOnly) => {
      const { axe } = window as unknown as { axe: Axe };
      const { violations } = await axe.run(document, { resultTypes: ['violations'], ...(runOnly && { runOnly }) });
      return violations.flatMap(({ id, nodes }) =>
        nodes.map(({ target, failureSummary }) => `${id} ${target} ${failureSummary}`),
      );
    },
    rules === 'of colour' ? ['color-contrast', 'link-in-text-block'] : undefined,
  );
}

/** Returns the elements that make the page or a dialog scroll sideways, or that stick out of the screen in something open. */
export function beyondTheEdge(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const width = document.documentElement.clientWidth;
    const scrolls = document.documentElement.scrollWidth > width;
    const open = document.querySelectorAll('dialog[open], dialog[open] *, :popover-open');
    const suspects = scrolls ? document.querySelectorAll('body *') : open;
    const isBeyond = (element: Element) =>
      element.getBoundingClientRect().right > width + 0.5 ||
      (element.matches('dialog[open]') && element.scrollWidth > element.clientWidth);
    return [...suspects]
      .filter((element) => element.checkVisibility() && isBeyond(element))
      .map((element) => `${element.tagName} ${element.className} ${element.textContent?.slice(0, 40)}`);
  });
}

/** Returns the edges of the parts of a header that lie on another one. */
export function overlaps(parts: Locator): Promise<{ left: number; right: number }[]> {
  return parts.evaluateAll((elements) => {
    const edges = elements
      // On a phone the notice is below the name, in the same part of the header.
      .filter((element) => innerWidth >= 640 || !element.matches('[role=note]'))
      .map((element) => element.getBoundingClientRect())
      .sort((one, other) => one.left - other.left)
      .map(({ left, right }) => ({ left, right }));
    return edges.filter(({ left }, place) => left < (edges[place - 1]?.right ?? 0));
  });
}

export const enlargeText = (page: Page) =>
  page.evaluate(() => document.documentElement.style.setProperty('font-size', '200%'));

/** Opens a path with text twice as large, and expects that nothing is beyond the edge once `seen` is on the screen. */
export async function fitsWithLargeText(page: Page, path: string, seen: string | RegExp): Promise<void> {
  await page.goto(path);
  await enlargeText(page);
  await expect(page.getByRole('main').getByText(seen).filter({ visible: true }).first()).toBeVisible();
  await expect.poll(() => beyondTheEdge(page), path).toEqual([]);
}
