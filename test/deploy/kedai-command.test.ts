import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { repositoryRoot } from '../house/scratch-tree.ts';

/**
 * Installs deploy/systemd/kedai in a folder that replaces /etc/kedai and /opt/kedai, with an npm that prints what it is
 * given.
 */
function installCommand() {
  const folder = mkdtempSync(join(tmpdir(), 'kedai-command-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'secrets'));
  writeFileSync(join(folder, 'kedai.env'), "MAIL_FROM='Kedai <orders@shop.example>'\nTRUST_PROXY=1\n");
  writeFileSync(join(folder, 'secrets/database-url'), 'postgres://of-the-service\n');
  writeFileSync(join(folder, 'secrets/master-keys'), 'm1:key\n');
  // The copy that an editor leaves is not a setting.
  writeFileSync(join(folder, 'secrets/master-keys~'), 'm0:key\n');
  writeFileSync(join(folder, 'package.json'), readFileSync(join(repositoryRoot, 'package.json')));
  const print = 'echo "$*"; env | grep -E "^(NODE_ENV|MAIL_FROM|TRUST_PROXY|[A-Z_]+_(URL|KEYS)(_FILE)?)=" | sort';
  writeFileSync(join(folder, 'npm'), `#!/bin/sh\n${print}\n`, { mode: 0o755 });
  const script = readFileSync(join(repositoryRoot, 'deploy/systemd/kedai'), 'utf8');
  const command = join(folder, 'kedai');
  writeFileSync(command, script.replaceAll(/\/(etc|opt)\/kedai/g, folder), { mode: 0o755 });
  const run = (args: string[], env: Record<string, string> = {}) =>
    spawnSync(command, args, { env: { PATH: `${folder}:${process.env['PATH']}`, ...env }, encoding: 'utf8' });
  return { folder, run };
}

it.runIf(process.platform !== 'win32')(
  'the command kedai runs a script with the settings and secrets of the service',
  () => {
    const { folder, run } = installCommand();
    const settings = ['MAIL_FROM=Kedai <orders@shop.example>', `MASTER_KEYS_FILE=${folder}/secrets/master-keys`];
    const rest = ['NODE_ENV=production', 'TRUST_PROXY=1'];
    const { status, stdout } = run(['verify', '--', '--wait', '300']);
    const file = `DATABASE_URL_FILE=${folder}/secrets/database-url`;
    expect({ status, lines: stdout.trim().split('\n').sort() }).toEqual({
      status: 0,
      lines: ['run --silent verify -- --wait 300', file, ...settings, ...rest].sort(),
    });
    // A URL from the environment takes precedence, as a restore beside the shop needs it.
    const beside = run(['verify'], { DATABASE_URL: 'postgres://beside' });
    expect(beside.stdout).toContain('DATABASE_URL=postgres://beside\n');
    expect(beside.stdout).not.toContain('DATABASE_URL_FILE');
    const besideByFile = run(['verify'], { DATABASE_URL_FILE: '/root/beside' });
    expect(besideByFile.stdout).toContain('DATABASE_URL_FILE=/root/beside\n');
  },
);

it.runIf(process.platform !== 'win32')('the command kedai prints its usage if the script does not exist', () => {
  const { run } = installCommand();
  for (const args of [[], ['verifi']]) {
    const { status, stderr } = run(args);
    expect({ status, stderr }).toEqual({
      status: 64,
      stderr: 'Usage: kedai SCRIPT [-- ARGUMENTS], as in kedai verify\n',
    });
  }
});
