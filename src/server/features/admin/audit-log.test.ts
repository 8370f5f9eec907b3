import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { runCommand } from '../../../../test/commands.ts';
import { makeUser, TEST_PASSWORD } from '../../../../test/factories.ts';
import { linkTokenTo } from '../../../../test/sent-mails.ts';
import { createShopper } from '../../../../test/shopper.ts';
import { changeEmail, signedIn, signedInUser } from '../../../../test/signed-in.ts';
import { openTestShop } from '../../../../test/test-shop.ts';
import type { AuditEntry } from '../../../shared/admin.ts';
import { verifyAuditLog, writeAudit } from './audit-log.ts';

const shop = await openTestShop();
const admin = await signedIn(shop, { role: 'admin' });
beforeEach(() => behindTheTrigger(sql`TRUNCATE audit_log RESTART IDENTITY`));

const write = (summary: string, { actor = 'boss@example.com', action = 'product.updated' } = {}) =>
  shop.deps.db
    .transaction()
    .execute((trx) =>
      writeAudit(shop.deps, trx, {
        actor: { userId: null, name: actor, ip: '203.0.113.7' },
        action,
        subject: { type: 'product', id: `id-of-${summary}` },
        summary,
      }),
    );
const writeAll = async (...summaries: string[]) => {
  for (const summary of summaries) await write(summary);
};

/** Changes the log as somebody with full access to the database could. */
const behindTheTrigger = (change: ReturnType<typeof sql>) =>
  shop.deps.db.transaction().execute(async (trx) => {
    await sql`ALTER TABLE audit_log DISABLE TRIGGER keep_audit_log`.execute(trx);
    await change.execute(trx);
    await sql`ALTER TABLE audit_log ENABLE TRIGGER keep_audit_log`.execute(trx);
  });

const verify = async (remembered?: string) => {
  const { whole, broken, sinceRemembered } = await verifyAuditLog(shop.deps, remembered);
  return { whole, broken: broken?.summary, sinceRemembered };
};
const hashOf = async (summary: string) => {
  const query = shop.deps.db.selectFrom('audit_log').select('hash').where('summary', '=', summary);
  return (await query.executeTakeFirstOrThrow()).hash.toString('hex');
};

const list = async (query = '') => {
  const { body } = await admin.get(`/api/admin/audit-log${query}`);
  return body as unknown as { data: AuditEntry[]; nextCursor: string | null; total: number };
};
const summariesOf = async (query: string) => (await list(query)).data.map(({ summary }) => summary);

describe('the audit log', () => {
  it('is intact after concurrent writes', async () => {
    await Promise.all(Array.from({ length: 30 }, (_, index) => write(`parallel ${index}`)));
    expect(await verify()).toEqual({ whole: 30, broken: undefined, sinceRemembered: undefined });
  });

  it('is verified across more entries than one batch', async () => {
    await shop.deps.db.transaction().execute(async (trx) => {
      for (let index = 0; index < 1_001; index += 1) {
        await writeAudit(shop.deps, trx, {
          actor: { userId: null, name: 'a', ip: '' },
          action: 'product.updated',
          subject: { type: 'product', id: 'x' },
          summary: `${index}`,
        });
      }
    });
    expect(await verify()).toMatchObject({ whole: 1_001, broken: undefined });
  });

  it.each(['summary', 'actor', 'ip', 'action', 'subject_id', 'subject_type'])(
    'reveals a changed %s',
    async (column) => {
      await writeAll('one', 'two', 'three');
      await behindTheTrigger(sql`UPDATE audit_log SET ${sql.ref(column)} = 'other' WHERE summary = 'two'`);
      expect(await verify()).toMatchObject({ whole: 1, broken: column === 'summary' ? 'other' : 'two' });
    },
  );

  it('reveals a changed time, a changed user and a forged hash', async () => {
    await writeAll('one', 'two');
    await behindTheTrigger(sql`UPDATE audit_log SET at = at - interval '1 ms' WHERE summary = 'two'`);
    expect(await verify()).toMatchObject({ whole: 1, broken: 'two' });
    await behindTheTrigger(
      sql`UPDATE audit_log SET at = at + interval '1 ms', user_id = gen_random_uuid() WHERE summary = 'two'`,
    );
    expect(await verify()).toMatchObject({ whole: 1, broken: 'two' });
    await behindTheTrigger(sql`UPDATE audit_log SET user_id = NULL, hash = sha256('two') WHERE summary = 'two'`);
    expect(await verify()).toMatchObject({ whole: 1, broken: 'two' });
  });

  it('reveals a removed entry, even the first one', async () => {
    await writeAll('one', 'two', 'three');
    await behindTheTrigger(sql`DELETE FROM audit_log WHERE summary = 'two'`);
    expect(await verify()).toMatchObject({ whole: 1, broken: 'three' });
    await behindTheTrigger(sql`DELETE FROM audit_log WHERE summary = 'one'`);
    expect(await verify()).toMatchObject({ whole: 0, broken: 'three' });
  });

  it('reveals reordered entries', async () => {
    await writeAll('one', 'two', 'three');
    await behindTheTrigger(sql`
      UPDATE audit_log SET id = DEFAULT WHERE summary = 'two'`);
    expect(await verify()).toMatchObject({ whole: 1, broken: 'three' });
  });

  it('reveals a truncated end only with a remembered hash', async () => {
    await writeAll('one', 'two', 'three');
    const [two, three] = [await hashOf('two'), await hashOf('three')];
    expect(await verify(two)).toMatchObject({ whole: 3, sinceRemembered: 1 });
    await behindTheTrigger(sql`DELETE FROM audit_log WHERE summary = 'three'`);
    expect(await verify(three)).toEqual({ whole: 2, broken: undefined, sinceRemembered: undefined });
    await write('four');
    expect(await verify(two)).toMatchObject({ whole: 3, sinceRemembered: 1 });
  });

  it('is append-only: update, delete and truncate are rejected', async () => {
    await write('one');
    for (const change of [
      sql`UPDATE audit_log SET summary = 'other'`,
      sql`DELETE FROM audit_log`,
      sql`TRUNCATE audit_log`,
    ]) {
      await expect(change.execute(shop.deps.db)).rejects.toThrow('only ever added to');
    }
    expect(await verify()).toMatchObject({ whole: 1 });
  });

  it('records successful sign-ins of administrators, and of no other users', async () => {
    const boss = await makeUser(shop.deps, { role: 'admin' });
    const customer = await makeUser(shop.deps);
    for (const { email } of [customer, boss]) await createShopper(shop.url).signIn(email, TEST_PASSWORD);
    await createShopper(shop.url).signIn(boss.email, 'not the password');
    const { data, total } = await list();
    expect(total).toBe(1);
    expect(data[0]).toMatchObject({
      actor: boss.email,
      action: 'user.signed-in',
      subjectId: boss.id,
      ip: expect.stringMatching(/127.0.0.1$/),
    });
  });

  it('records a new email of an administrator, under which the log names them, and its undoing', async () => {
    const [boss, customer] = [await signedInUser(shop, { role: 'admin' }), await signedInUser(shop)];
    const earlier = boss.user.email;
    for (const { browser, user } of [customer, boss]) {
      await changeEmail(browser, `new-${user.email}`);
      const confirmToken = await linkTokenTo(shop, `new-${user.email}`, '/confirm-email');
      expect((await browser.post('/api/auth/confirmemail', { confirmToken })).status).toBe(200);
    }
    const undoToken = await linkTokenTo(shop, earlier, '/undo-email');
    expect((await boss.browser.post('/api/auth/undoemail', { undoToken })).status).toBe(200);
    const entries = (await list()).data.filter(({ action }) => action === 'user.email-changed');
    expect(entries).toMatchObject([
      { actor: earlier, subjectId: boss.user.id, summary: `new-${earlier} has the email ${earlier} from now on` },
      { actor: earlier, subjectId: boss.user.id, summary: `${earlier} has the email new-${earlier} from now on` },
    ]);
    expect(await verify()).toMatchObject({ broken: undefined });
  });

  it('has no entry of a rolled-back transaction', async () => {
    const failing = shop.deps.db.transaction().execute(async (trx) => {
      await writeAudit(shop.deps, trx, {
        actor: { userId: null, name: 'a', ip: '' },
        action: 'product.updated',
        subject: { type: 'product', id: 'x' },
        summary: 'never happened',
      });
      throw new Error('after all not');
    });
    await expect(failing).rejects.toThrow('after all not');
    await write('happened');
    expect(await verify()).toMatchObject({ whole: 1, broken: undefined });
  });
});

describe('npm run audit:verify', () => {
  const command = async (...typed: string[]) => {
    const { databaseUrl = '', dataDir } = shop.deps.config;
    try {
      const done = await runCommand('audit-verify', typed, { DATABASE_URL: databaseUrl, DATA_DIR: dataDir });
      return { code: 0, said: done.stdout };
    } catch (error) {
      const { code, stderr } = error as { code: number; stderr: string };
      return { code, said: stderr };
    }
  };

  it('prints the number of entries and the hash to keep, and fails for a broken log', async () => {
    await writeAll('one', 'two', 'three');
    const [two, three] = [await hashOf('two'), await hashOf('three')];
    const whole = await command();
    expect(whole).toEqual({ code: 0, said: expect.stringContaining('is unbroken: 3 entries.') });
    expect(whole.said).toContain(`--after ${three}`);
    expect(await command('--after', two)).toEqual({
      code: 0,
      said: expect.stringContaining('It has the remembered entry, and 1 entry after that.'),
    });
    await behindTheTrigger(sql`DELETE FROM audit_log WHERE summary = 'three'`);
    expect(await command('--after', three)).toEqual({
      code: 1,
      said: expect.stringContaining('remembered hash is missing'),
    });
    await behindTheTrigger(sql`UPDATE audit_log SET actor = 'nobody' WHERE summary = 'two'`);
    expect(await command()).toEqual({ code: 1, said: expect.stringContaining('broken after 1 entry: number 2') });
  });
});

describe('the audit log on the dashboard', () => {
  it('is newest first, page by page, with actor, action, subject, time and IP address', async () => {
    await writeAll('one', 'two', 'three', 'four', 'five');
    const first = await list('?limit=2');
    expect(first).toMatchObject({ total: 5, data: [{ summary: 'five' }, { summary: 'four' }] });
    expect(first.data[0]).toEqual({
      _id: expect.any(String),
      at: expect.stringMatching(/Z$/),
      actor: 'boss@example.com',
      ip: '203.0.113.7',
      action: 'product.updated',
      subjectType: 'product',
      subjectId: 'id-of-five',
      summary: 'five',
    });
    await write('six');
    const second = await list(`?limit=2&cursor=${first.nextCursor}`);
    expect(second.data.map(({ summary }) => summary)).toEqual(['three', 'two']);
    expect(await summariesOf(`?limit=2&cursor=${second.nextCursor}`)).toEqual(['one']);
    expect((await admin.get('/api/admin/audit-log?cursor=W10')).status).toBe(400);
  });

  it('is searched by actor, action, subject and summary, with wildcards taken literally', async () => {
    await write('Refunded $12.00', { actor: 'aisyah@example.com', action: 'order.refunded' });
    await write('Changed "100%_off"');
    expect(await summariesOf('?q=AISYAH')).toEqual(['Refunded $12.00']);
    expect(await summariesOf('?q=order.ref')).toEqual(['Refunded $12.00']);
    expect(await summariesOf('?q=id-of-Changed')).toEqual(['Changed "100%_off"']);
    expect(await summariesOf('?q=%25_')).toEqual(['Changed "100%_off"']);
    expect(await list('?q=%27%20OR%201=1--')).toMatchObject({ data: [], total: 0 });
  });

  it('is filtered by days in the time zone of the shop, both included', async () => {
    // 15:59 and 16:00 in Greenwich, where the shop’s 2 January ends and its 3 January begins.
    for (const at of ['2031-01-02T15:59:59.999Z', '2031-01-02T16:00:00Z', '2031-01-03T16:00:00Z']) {
      await shop.deps.db
        .transaction()
        .execute((trx) =>
          writeAudit({ ...shop.deps, clock: { now: () => new Date(at) } }, trx, {
            actor: { userId: null, name: 'a', ip: '' },
            action: 'product.updated',
            subject: { type: 'product', id: 'x' },
            summary: at,
          }),
        );
    }
    expect(await summariesOf('?from=2031-01-03&to=2031-01-03')).toEqual(['2031-01-02T16:00:00Z']);
    expect((await list('?from=2031-01-03')).total).toBe(2);
    expect((await list('?to=2031-01-02')).total).toBe(1);
    expect((await admin.get('/api/admin/audit-log?from=2031-02-30')).status).toBe(400);
  });
});
