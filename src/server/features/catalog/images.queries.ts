import type { Insertable } from 'kysely';
import type { Database, Transaction } from '../../platform/database/open-database.ts';
import type { Tables } from '../../platform/database/tables.ts';

/** Stores a picture; one that is there already is only marked as used again. */
export async function insertImage(trx: Transaction, image: Insertable<Tables['images']>): Promise<void> {
  await trx
    .insertInto('images')
    .values(image)
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ unused_since: null }))
    .execute();
}

export function findImage(db: Database, id: string): Promise<{ content: Buffer; media_type: string } | undefined> {
  return db.selectFrom('images').select(['content', 'media_type']).where('id', '=', id).executeTakeFirst();
}
