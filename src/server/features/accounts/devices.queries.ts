import { hashToken } from '../../platform/crypto/random-token.ts';
import type { Database } from '../../platform/database/open-database.ts';
import { DEVICE_MS, type Device } from './device-cookie.ts';

/** The hash of a device's token if it has signed in to the account of that e-mail address, and not been forgotten since. */
export async function findDevice(
  db: Database,
  { device, email, now }: { device: Device; email: string; now: Date },
): Promise<Buffer | undefined> {
  const row = await db
    .selectFrom('devices')
    .innerJoin('users', 'users.id', 'devices.user_id')
    .select('token_hash')
    .where('token_hash', '=', hashToken(device.token))
    .where('users.id', '=', device.userId)
    .where('users.email', '=', email)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return row?.token_hash;
}

export async function insertDevice(
  db: Database,
  { device, now }: { device: Device; now: Date },
): Promise<void> {
  await db.insertInto('devices').values(deviceRow(device, now)).execute();
}

export const deviceRow = ({ userId, token }: Device, now: Date) => ({
  token_hash: hashToken(token),
  user_id: userId,
  created_at: now,
  expires_at: new Date(now.getTime() + DEVICE_MS),
});
