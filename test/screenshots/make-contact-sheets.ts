import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { chromium } from '@playwright/test';
import config from '../../screenshots.config.ts';
import { pictureOf, screenshotsFolder, THEMES, WIDTHS } from './pictures.ts';

const SHEET_WIDTH = 2400;
const PICTURES_PER_SHEET = 12;
/** Widths of pictures on their sheet, by the width of the screen. */
const shownWidths: Record<number, number> = { 390: 280, 768: 380, 1440: 580 };

// Puts all pictures of one width and theme side by side, to be looked at together: screenshots/sheets.
mkdirSync(`${screenshotsFolder}/sheets`, { recursive: true });
const names = readdirSync(screenshotsFolder).filter((name) => name !== 'sheets');
const browser = await chromium.launch(config.use?.launchOptions);
const page = await browser.newPage({ viewport: { width: SHEET_WIDTH, height: 1000 } });
for (const theme of THEMES) {
  for (const width of WIDTHS) await makeSheets(width, theme);
}
await browser.close();

async function makeSheets(width: number, theme: string): Promise<void> {
  const shown = names.filter((name) => existsSync(pictureOf(name, width, theme)));
  for (let first = 0; first < shown.length; first += PICTURES_PER_SHEET) {
    const sheet = shown.slice(first, first + PICTURES_PER_SHEET);
    const figures = sheet.map((name) => {
      const data = readFileSync(pictureOf(name, width, theme)).toString('base64');
      return `<figure><img src="data:image/png;base64,${data}"><figcaption>${name}</figcaption></figure>`;
    });
    await page.setContent(`<style>
      body { margin: 12px; display: flex; flex-wrap: wrap; align-items: start; gap: 12px; background: #777; }
      figure { margin: 0; width: ${shownWidths[width]}px; font: 14px sans-serif; }
      img { width: 100%; display: block; }
    </style>${figures.join('')}`);
    const number = first / PICTURES_PER_SHEET + 1;
    const path = `${screenshotsFolder}/sheets/${width}-${theme}-${number}.png`;
    await page.screenshot({ path, fullPage: true });
  }
}
