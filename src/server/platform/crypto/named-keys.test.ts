import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { generatedSecrets } from './named-keys.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'kedai-secrets-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

test('the keys are generated once, in a file that only its owner can read', () => {
  const made = generatedSecrets(join(dataDir, 'new'));
  expect(generatedSecrets(join(dataDir, 'new'))).toEqual(made);
  expect(statSync(join(dataDir, 'new', 'secrets.json')).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(dataDir, 'new'))).toEqual(['secrets.json']);
});

test('processes that start concurrently use the same keys', async () => {
  const file = fileURLToPath(new URL('./named-keys.ts', import.meta.url));
  const script = `import { generatedSecrets } from ${JSON.stringify(file)};
    process.stdout.write(JSON.stringify(generatedSecrets(${JSON.stringify(dataDir)})));`;
  const start = () => promisify(execFile)(process.execPath, ['--input-type=module-typescript', '-e', script]);
  const outputs = (await Promise.all([start(), start(), start()])).map(({ stdout }) => stdout);
  expect(new Set(outputs).size).toBe(1);
  expect(JSON.stringify(generatedSecrets(dataDir))).toBe(outputs[0]);
});

test('a damaged file is never replaced, as it may hold the only key to the items', () => {
  writeFileSync(join(dataDir, 'secrets.json'), '{"MASTER_KEYS":"k1:');
  expect(() => generatedSecrets(dataDir)).toThrow('DATA_DIR holds a damaged secrets.json; restore it');
  expect(readFileSync(join(dataDir, 'secrets.json'), 'utf8')).toBe('{"MASTER_KEYS":"k1:');
});

test('a data folder that cannot be created is reported with the fix', () => {
  writeFileSync(join(dataDir, 'file'), '');
  for (const folder of ['file', 'file/data']) {
    expect(() => generatedSecrets(join(dataDir, folder))).toThrow('DATA_DIR leads through a file; choose a folder');
  }
});

test('a secrets.json that cannot be read for another reason than its owner is reported with the reason', () => {
  mkdirSync(join(dataDir, 'secrets.json'));
  expect(() => generatedSecrets(dataDir)).toThrow(
    'DATA_DIR holds a secrets.json that cannot be read (EISDIR); correct',
  );
  const long = join(dataDir, 'x'.repeat(300));
  expect(() => generatedSecrets(long)).toThrow('cannot be read (ENAMETOOLONG); correct');
});
