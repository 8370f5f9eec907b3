import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { commandEnvironment } from '../commands.ts';
import { makeUser, TEST_PASSWORD } from '../factories.ts';
import { createShopper } from '../shopper.ts';
import { startTestShop, type TestShop } from '../test-shop.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await startTestShop();
});
afterAll(() => shop.stop());

const PASSWORD = 'a long enough secret';

/** Runs the command in a process of its own beside the shop, and types `lines` into it. */
async function run(lines: string[], env: Record<string, string> = {}) {
  const { databaseUrl = '', dataDir } = shop.deps.config;
  const child = spawn(process.execPath, ['scripts/commands/admin-create.ts'], {
    env: commandEnvironment({ DATABASE_URL: databaseUrl, DATA_DIR: dataDir, ...env }),
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.stdin.end(lines.map((line) => `${line}\n`).join(''));
  const said = (await Promise.all([text(child.stdout), text(child.stderr)])).join('');
  expect(said).not.toContain(PASSWORD);
  return { code: await ended, said };
}

const signIn = (email: string, password: string) => createShopper(shop.url).signIn(email, password);
const roleOf = async (email: string) =>
  (await shop.deps.db.selectFrom('users').select('role').where('email', '=', email).executeTakeFirst())?.role;
const onRecord = async (part: string) =>
  (await shop.deps.db.selectFrom('audit_log').select(['actor', 'action', 'summary']).orderBy('id').execute()).filter(
    ({ action, summary }) => action !== 'user.signed-in' && summary.includes(part),
  );

it('npm run admin:create creates an administrator from an email, a name and a password', async () => {
  const done = await run(['  First@Shop.example ', 'First Admin', PASSWORD]);
  expect(done).toEqual({
    code: 0,
    said: expect.stringContaining('first@shop.example is an administrator. Sign in at'),
  });
  const { body } = await signIn('first@shop.example', PASSWORD);
  expect(body['user']).toMatchObject({ name: 'First Admin', role: 'admin', emailVerified: true });
  expect(await onRecord('first@shop.example')).toEqual([
    { actor: 'npm run admin:create', action: 'user.created', summary: 'first@shop.example is a new administrator' },
  ]);
});

it('npm run admin:create reads the environment if there is no terminal', async () => {
  const given = { ADMIN_EMAIL: 'env@shop.example', ADMIN_NAME: 'Env', ADMIN_PASSWORD: PASSWORD };
  expect(await run([], given)).toMatchObject({ code: 0 });
  expect((await signIn('env@shop.example', PASSWORD)).status).toBe(200);
});

it.each([
  ['an invalid email', ['not an address'], 'Email: must be an email address. Nothing was changed.'],
  ['a password that is too short', ['no@shop.example', 'No', 'elevenchars'], 'must have at least 12 characters'],
  ['a password of one word', ['no@shop.example', 'No', 'short'], 'must have at least 12 characters'],
  ['a common password', ['no@shop.example', 'No', 'administrator'], 'too common'],
  ['a missing answer', ['no@shop.example', 'No'], 'is missing. Nothing was changed.'],
])('npm run admin:create refuses %s', async (_, lines, says) => {
  expect(await run(lines)).toEqual({ code: 1, said: expect.stringContaining(says) });
  expect(await roleOf('no@shop.example')).toBeUndefined();
});

it('npm run admin:create asks before it changes an existing account, and then only the new password works', async () => {
  const { id, email } = await makeUser(shop.deps, { name: 'Old Customer' });
  const browser = createShopper(shop.url);
  await browser.signIn(email, TEST_PASSWORD);
  await shop.deps.db.updateTable('users').set({ blocked_at: new Date() }).where('id', '=', id).execute();
  const refused = await run([email, 'no', PASSWORD]);
  expect(refused).toEqual({ code: 1, said: expect.stringContaining('Old Customer, a customer, blocked') });
  expect(await roleOf(email)).toBe('customer');

  expect(await run([email, 'yes', PASSWORD])).toMatchObject({ code: 0 });
  expect((await browser.get('/api/auth/me')).status).toBe(401);
  expect((await signIn(email, TEST_PASSWORD)).status).toBe(401);
  expect((await signIn(email, PASSWORD)).body['user']).toMatchObject({ name: 'Old Customer', role: 'admin' });
  expect(await onRecord(email)).toMatchObject([{ action: 'user.made-admin' }]);
});
