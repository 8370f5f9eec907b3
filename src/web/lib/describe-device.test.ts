import { expect, test } from 'vitest';
import { describeDevice, isHandheld } from './describe-device.ts';

const chrome = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0';
const windows = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64)';
const mac = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)';
const iPhone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)';

test.each([
  ['Chrome on Windows', `${windows} ${chrome} Safari/537.36`],
  ['Chrome on Linux', `Mozilla/5.0 (X11; Linux x86_64) ${chrome} Safari/537.36`],
  ['Chrome on ChromeOS', `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${chrome} Safari/537.36`],
  ['Chrome on Android', `Mozilla/5.0 (Linux; Android 10; K) ${chrome} Mobile Safari/537.36`],
  ['Chrome on iPhone', `${iPhone} CriOS/142.0.7444.77 Mobile/15E148 Safari/604.1`],
  ['Edge on Windows', `${windows} ${chrome} Safari/537.36 Edg/142.0.0.0`],
  ['Opera on macOS', `${mac} ${chrome} Safari/537.36 OPR/124.0.0.0`],
  [
    'Samsung Internet on Android',
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/29.0 Chrome/136.0.0.0 Mobile Safari/537.36',
  ],
  ['Firefox on Windows', 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0'],
  ['Firefox on iPhone', `${iPhone} FxiOS/145.0 Mobile/15E148 Safari/605.1.15`],
  ['Safari on macOS', `${mac} AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15`],
  ['Safari on iPhone', `${iPhone} Version/18.5 Mobile/15E148 Safari/604.1`],
  ['Unknown browser', 'curl/8.5.0'],
  ['Unknown browser', ''],
])('says %s for %s', (words, userAgent) => {
  expect(describeDevice(userAgent)).toBe(words);
});

test('distinguishes a handheld device from a desktop', () => {
  expect(isHandheld(`${iPhone} Version/18.5 Mobile/15E148 Safari/604.1`)).toBe(true);
  expect(isHandheld(`${windows} ${chrome} Safari/537.36`)).toBe(false);
});
