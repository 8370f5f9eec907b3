import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openBackup, storeBackup } from '../../src/server/platform/database/backup/backup-file.ts';
import { StartError } from '../../src/server/platform/system-errors.ts';
import { mountSmallDisk, unmountUnder } from '../small-disk.ts';

const moduleAt = (path: string) => JSON.stringify(new URL(`../../${path}`, import.meta.url).href);

function makeFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'kedai-interrupted-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return { folder, file: join(folder, 'kedai.backup') };
}

async function* bytes() {
  yield Buffer.from('all of it');
}

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('a backup that is ended by %s leaves no file behind', async (signal, exitCode) => {
  const { folder, file } = makeFolder();
  // It writes a beginning, and then waits for a database that does not answer.
  const script = `
    import { runAndExit } from ${moduleAt('scripts/commands/run-command.ts')};
    import { storeBackup } from ${moduleAt('src/server/platform/database/backup/backup-file.ts')};
    setInterval(() => undefined, 1_000);
    await runAndExit(() => storeBackup(${JSON.stringify(file)}, (async function* () {
      yield Buffer.from('a beginning');
      await new Promise(() => undefined);
    })()));`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: 'inherit' });
  onTestFinished(() => void child.kill('SIGKILL'));
  await vi.waitUntil(() => readdirSync(folder).length === 1, { timeout: 30_000, interval: 20 });
  child.kill(signal);
  expect((await once(child, 'exit'))[0]).toBe(exitCode);
  expect(readdirSync(folder)).toEqual([]);
});

it('a backup removes abandoned partial files of the same name, but not those still being written', async () => {
  const { folder, file } = makeFolder();
  const hourAgo = Date.now() / 1_000 - 3_601;
  for (const name of ['kedai.backup.1.part', 'kedai.backup.2.part', 'other.backup.1.part']) {
    writeFileSync(join(folder, name), 'a beginning');
    if (name !== 'kedai.backup.2.part') utimesSync(join(folder, name), hourAgo, hourAgo);
  }
  await storeBackup(file, bytes());
  expect(existsSync(file)).toBe(true);
  expect(readdirSync(folder).sort()).toEqual(['kedai.backup', 'kedai.backup.2.part', 'other.backup.1.part']);
});

it('a backup succeeds beside a partial file left by a killed process with the same process id', async () => {
  const { file } = makeFolder();
  writeFileSync(`${file}.${process.pid}.part`, 'a beginning');
  await storeBackup(file, bytes());
  expect(existsSync(file)).toBe(true);
});

it('a backup replaces only a file: no folder or device', async () => {
  const { folder, file } = makeFolder();
  symlinkSync('/dev/null', file);
  const refusal = new StartError(`${file} is not a file: name one for the backup, or - for the standard output.`);
  await expect(storeBackup(file, bytes())).rejects.toEqual(refusal);
  expect(lstatSync(file).isSymbolicLink()).toBe(true);
  rmSync(file);
  mkdirSync(file);
  await expect(storeBackup(file, bytes())).rejects.toEqual(refusal);
  expect(readdirSync(folder)).toEqual(['kedai.backup']);
});

it('a backup that finds the disk full is refused in one line, and leaves no file behind', async () => {
  const { folder, file } = makeFolder();
  mountSmallDisk(folder, 1).fill();
  onTestFinished(() => unmountUnder(folder));
  await expect(storeBackup(file, bytes())).rejects.toEqual(
    new StartError(
      'The backup cannot be written (ENOSPC: no space left on device, write): make space, or choose another place.',
    ),
  );
  expect(readdirSync(folder)).toEqual(['filler']);
});

it('a backup whose reader ends early is refused in one line', async () => {
  const script = `
    import { randomBytes } from 'node:crypto';
    import { runAndExit } from ${moduleAt('scripts/commands/run-command.ts')};
    import { storeBackup } from ${moduleAt('src/server/platform/database/backup/backup-file.ts')};
    await runAndExit(async () => {
      await storeBackup('-', (async function* () {
        for (let block = 0; block < 64; block++) yield randomBytes(65_536);
      })());
      return 0;
    });`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: 'pipe' });
  child.stdout.once('data', () => child.stdout.destroy());
  let said = '';
  child.stderr.on('data', (text) => {
    said += text;
  });
  expect((await once(child, 'close'))[0]).toBe(1);
  expect(said).toBe('The backup cannot be written (write EPIPE): make space, or choose another place.\n');
});

it('a path that leads through a file is a backup that cannot be read, and not one that was changed', async () => {
  const { file } = makeFolder();
  writeFileSync(file, 'a file');
  await expect(openBackup(join(file, 'kedai.backup'))).rejects.toThrow('The backup cannot be read (ENOTDIR');
  // A command runs in the shop's folder, not in that of the operator.
  await expect(openBackup('nowhere.backup')).rejects.toThrow(
    `The backup cannot be read (ENOENT: no such file or directory, open '${resolve('nowhere.backup')}')`,
  );
});
