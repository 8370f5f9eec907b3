import { randomBytes } from 'node:crypto';
import type { Database } from '../../database/open-database.ts';

/** The keys of this database's provider. They open nothing but test mode, yet the secret ones stay on the server. */
export interface ProviderAccount {
  publishableKey: string;
  secretKey: string;
  webhookSecret: string;
}

const newKey = (prefix: string) => prefix + randomBytes(24).toString('hex');

/** Made on first use; processes that start together on one database get the same keys. */
export async function getOrMakeAccount(db: Database, input: { now: Date }): Promise<ProviderAccount> {
  const account = await findAccount(db);
  if (account) return account;
  await db
    .insertInto('test_mode_account')
    .values({
      publishable_key: newKey('pk_test_'),
      secret_key: newKey('sk_test_'),
      webhook_secret: newKey('whsec_'),
      created_at: input.now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const made = await findAccount(db);
  if (!made) throw new Error('The test mode provider has no keys');
  return made;
}

/** Whether the database still has these keys: after a restored backup, a running process may have those of another one. */
export async function isAccount(db: Database, { secretKey }: ProviderAccount): Promise<boolean> {
  return (await findAccount(db))?.secretKey === secretKey;
}

async function findAccount(db: Database): Promise<ProviderAccount | undefined> {
  return db
    .selectFrom('test_mode_account')
    .select([
      'publishable_key as publishableKey',
      'secret_key as secretKey',
      'webhook_secret as webhookSecret',
    ])
    .executeTakeFirst();
}
