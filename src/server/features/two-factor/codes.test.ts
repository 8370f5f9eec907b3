import { encodeQR } from 'qr';
import { expect, test } from 'vitest';
import { base32Of, hashBackupCode, makeBackupCodes, makeSecret, qrCodeOf, stepOfCode } from './two-factor.ts';

// RFC 6238, appendix B, the last six of its eight digits.
const secret = Buffer.from('12345678901234567890');
test.each([
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
])('the code at second %i is the one in RFC 6238', (second, code) => {
  expect(stepOfCode(secret, code, new Date(second * 1_000))).toBe(Math.floor(second / 30));
});

test('a code is valid in its own step and in both neighbouring steps, to the millisecond', () => {
  const [code, step] = ['081804', 37_037_036];
  const at = (milliseconds: number) => stepOfCode(secret, code, new Date(milliseconds));
  expect(at((step - 1) * 30_000)).toBe(step);
  expect(at((step + 2) * 30_000 - 1)).toBe(step);
  expect(at((step - 1) * 30_000 - 1)).toBeUndefined();
  expect(at((step + 2) * 30_000)).toBeUndefined();
});

test('a code that is not six digits is never valid', () => {
  const now = new Date(59_000);
  for (const code of ['', '28708', '2870820', '94287082', ' 287082', '２８７０８２', 'abcdef', '-87082']) {
    expect(stepOfCode(secret, code, now)).toBeUndefined();
  }
});

test('a secret is unique and has 160 bits', () => {
  const made = Array.from({ length: 50 }, makeSecret);
  expect(new Set(made.map(base32Of)).size).toBe(50);
  for (const bytes of made) expect(bytes).toHaveLength(20);
  expect(base32Of(secret)).toBe('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ');
});

test('the QR code has the secret, shop and account in the format of authenticator apps', async () => {
  const uri =
    'otpauth://totp/Kedai:mina%40example.com?issuer=Kedai&secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&algorithm=SHA1&digits=6&period=30';
  const svg = encodeQR(uri, 'svg', { border: 2 });
  expect(await qrCodeOf(secret, { issuer: 'Kedai', label: 'mina@example.com' })).toBe(
    `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`,
  );
});

test('the QR code is an SVG without scripts or styles, for any name of shop and account', async () => {
  const names = { issuer: 'Tan & Söhne: "Kedai" <x>', label: "a+b's@example.com" };
  const qrCode = await qrCodeOf(secret, names);
  const svg = Buffer.from(qrCode.replace('data:image/svg+xml;base64,', ''), 'base64').toString();
  expect(svg).toMatch(/^<svg viewBox="0 0 (\d+) \1" xmlns="http:\/\/www.w3.org\/2000\/svg"/);
  expect(svg).not.toMatch(/style|script|Tan/);
});

test('backup codes are ten unique codes of 120 bits, without digits that look like letters', () => {
  const codes = makeBackupCodes();
  expect(new Set([...codes, ...makeBackupCodes()]).size).toBe(20);
  for (const code of codes) expect(code).toMatch(/^([A-Z2-7]{4}-){5}[A-Z2-7]{4}$/);
});

test('a backup code has the same hash in any case and with any separators', () => {
  const [code = ''] = makeBackupCodes();
  const spaced = code.toLowerCase().replaceAll('-', ' ');
  for (const typed of [code.replaceAll('-', ''), spaced, ` ${code}\t`, code.replaceAll('-', '–')]) {
    expect(hashBackupCode(typed)).toEqual(hashBackupCode(code));
  }
  expect(hashBackupCode(code.slice(0, -1))).not.toEqual(hashBackupCode(code));
});
