import { fileURLToPath } from 'node:url';

export const screenshotsFolder = fileURLToPath(new URL('../../screenshots', import.meta.url));

export const WIDTHS = [390, 768, 1440];
export const THEMES = ['light', 'dark'];

export const pictureOf = (name: string, width: number, theme: string) =>
  `${screenshotsFolder}/${name}/${width}-${theme}.png`;
