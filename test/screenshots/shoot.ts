import { expect, type Page, type PageScreenshotOptions } from '@playwright/test';
import { changeTheme, standsStill } from '../e2e/looks-right.ts';
import { pictureOf, THEMES, WIDTHS } from './pictures.ts';

const HEIGHTS: Record<number, number> = { 390: 844, 768: 1024, 1440: 900 };
/** Content further down repeats itself. */
const MOST_PIXELS_DOWN = 2200;

/** Takes a picture in every width and theme, as screenshots/<name>/<width>-<theme>.png. */
export async function shoot(page: Page, name: string, widths = WIDTHS): Promise<void> {
  await expect(page.locator('#splash')).toHaveCount(0);
  for (const theme of THEMES) {
    await changeTheme(page, theme);
    for (const width of widths) {
      await page.setViewportSize({ width, height: HEIGHTS[width] ?? 900 });
      await standsStill(page);
      await picturesAreThere(page);
      await page.screenshot({ path: pictureOf(name, width, theme), ...(await frameOf(page)) });
    }
  }
}

/** Takes a picture of the window at once, for content that is shown only briefly or whose clock was stopped. */
export async function shootAtOnce(page: Page, name: string, theme = 'light'): Promise<void> {
  await page.screenshot({ path: pictureOf(name, page.viewportSize()?.width ?? 0, theme) });
}

/** Returns the whole page from its top; nothing, for the window alone, where something modal covers the page. */
async function frameOf(page: Page): Promise<PageScreenshotOptions> {
  return page.evaluate((mostPixels) => {
    if (document.querySelector('dialog[open], [role=menu]') !== null) return {};
    window.scrollTo(0, 0);
    const { scrollHeight, clientWidth } = document.documentElement;
    const clip = { x: 0, y: 0, width: clientWidth, height: Math.min(scrollHeight, mostPixels) };
    return { fullPage: true, clip };
  }, MOST_PIXELS_DOWN);
}

/** Loads every picture: each would load only when it comes near, and show an empty frame further down the page. */
async function picturesAreThere(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const pictures = [...document.querySelectorAll('img')];
    for (const picture of pictures) picture.loading = 'eager';
    await Promise.allSettled(pictures.map((picture) => picture.decode()));
  });
}
