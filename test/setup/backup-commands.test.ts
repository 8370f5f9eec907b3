import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { findRunningServer } from '../../src/server/platform/database/embedded/embedded-server.ts';
import { commandEnvironment, commandLauncher } from '../commands.ts';
import { makeProduct } from '../factories.ts';
import { openShopOf, startShopProcess } from '../processes.ts';
import { createShopper } from '../shopper.ts';
import { makeDataDir } from './kedai-processes.ts';

// Bytes, for a backup is no text.
const run = (dataDir: string, command: string, ...args: string[]) =>
  promisify(execFile)(process.execPath, [commandLauncher, `scripts/commands/${command}.ts`, ...args], {
    env: commandEnvironment({ DATA_DIR: dataDir }),
    encoding: 'buffer',
    maxBuffer: 2 ** 28,
  });
const printedBy = async (...given: Parameters<typeof run>) => (await run(...given)).stdout.toString();

test('a shop is backed up while open, restored elsewhere with its keys, released by a list, and reopened', async () => {
  const dataDir = makeDataDir();
  const shop = await startShopProcess({ DATA_DIR: dataDir, DATABASE_URL: '', DEMO: 'off', RATE_LIMITS: 'off' });
  const there = await openShopOf({ DATABASE_URL: findRunningServer(dataDir) ?? '', DATA_DIR: dataDir });
  const product = await makeProduct(there.deps, { name: '=HYPERLINK("https://thief.example")', items: 3 });
  await createShopper(shop.url).buy([{ product, quantity: 1 }], { email: 'before@example.com' });
  await there.close();
  const file = join(dataDir, 'shop.backup');
  const { stderr } = await run(dataDir, 'backup', file);
  expect(stderr.toString()).toMatch(
    /^Backed up \d+ rows of \d+ tables[^\n]*\nThe backup contains no master key[^\n]*"k\w+" \(\w{16}\)/,
  );
  const { stdout } = await run(dataDir, 'backup', '-');
  expect(gunzipSync(stdout).toString('utf8', 0, 20)).toBe(gunzipSync(readFileSync(file)).toString('utf8', 0, 20));
  await shop.stop();

  const other = makeDataDir();
  await expect(run(other, 'restore', file)).rejects.toThrow(/MASTER_KEYS lacks the key "k\w+" \(fingerprint \w{16}\)/);
  expect(existsSync(join(other, 'postgres'))).toBe(false);
  copyFileSync(join(dataDir, 'secrets.json'), join(other, 'secrets.json'));
  const report = await printedBy(other, 'restore', file);
  expect(report).toContain('2 items that were on sale are set aside');
  expect(report).toContain('0 payments are for orders that are not in the backup');
  await expect(run(other, 'restore', file)).rejects.toThrow('is not empty');

  expect(await printedBy(other, 'reconcile')).toContain('2 items are set aside and named by no payment since');
  const list = await printedBy(other, 'restore-release');
  expect(list.trim().split('\n')).toHaveLength(3);
  // No spreadsheet takes the name for a formula.
  expect(list).toContain(`,"'=HYPERLINK(`);
  writeFileSync(join(other, 'list.csv'), list);
  expect(await printedBy(other, 'restore-release', join(other, 'list.csv'))).toBe('2 items are released.\n');
  expect(await printedBy(other, 'shop-closed', 'off', '--reason', 'Checked')).toBe('The shop is open.\n');
  expect(await printedBy(other, 'verify')).toContain('Everything adds up.');

  const again = await startShopProcess({ DATA_DIR: other, DATABASE_URL: '', DEMO: 'off', RATE_LIMITS: 'off' });
  await createShopper(again.url).buy([{ product, quantity: 2 }], { email: 'after@example.com' });
  await again.stop();
}, 600_000);
