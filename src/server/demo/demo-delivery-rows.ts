import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { daysBefore } from '../../shared/durations.ts';
import type { Deps } from '../deps.ts';
import { writeAnswers } from '../features/delivery/delivery.queries.ts';
import { CHUNK_BYTES } from '../features/files/files.queries.ts';
import { toColumns } from '../platform/crypto/item-cipher.ts';
import { insertRows, type Transaction } from '../platform/database/database.ts';
import { type DemoOrder, type DemoProduct, demoFolder, demoId } from './demo-data.ts';
import { lineIdOf } from './demo-order-rows.ts';

type Cipher = Pick<Deps, 'cipher'>;

/** Inserts the contents of shared products, and the files of products that are downloaded. */
export async function insertContents({ cipher }: Cipher, trx: Transaction, products: DemoProduct[], now: Date) {
  for (const { slug, delivery, createdDaysAgo } of products) {
    const [productId, at] = [demoId('product', slug), daysBefore(now, createdDaysAgo)];
    if (delivery?.kind === 'shared') {
      const sealed = toColumns(cipher.encrypt({ itemId: productId, productId, content: delivery.content }));
      await insertRows(trx, 'shared_contents', [{ product_id: productId, ...sealed, version: 1, updated_at: at }]);
    } else if (delivery?.kind === 'file') {
      await insertFile({ cipher }, trx, { slug, ...delivery, at });
    }
  }
}

async function insertFile(
  { cipher }: Cipher,
  trx: Transaction,
  { slug, name, mediaType, at }: { slug: string; name: string; mediaType: string; at: Date },
) {
  const content = readFileSync(new URL(`files/${name}`, demoFolder));
  const [id, bytes] = [demoId('file', slug), content.length];
  const sha256 = createHash('sha256').update(content).digest();
  const times = { created_at: at, published_at: at };
  const file = { id, product_id: demoId('product', slug), version: 1, name, media_type: mediaType, bytes, sha256 };
  await insertRows(trx, 'product_files', [{ ...file, ...times }]);
  const chunks = Array.from({ length: Math.ceil(bytes / CHUNK_BYTES) }, (_, number) => {
    const clear = content.subarray(number * CHUNK_BYTES, (number + 1) * CHUNK_BYTES);
    const sealed = cipher.encryptChunk({ fileId: id, fileBytes: bytes, number, content: clear });
    return { file_id: id, number, ...toColumns(sealed) };
  });
  await insertRows(trx, 'file_chunks', chunks);
}

/** Inserts the buyers' answers to the fields of products that a person delivers. */
export async function insertGivenAnswers({ cipher }: Cipher, trx: Transaction, orders: DemoOrder[]) {
  const lines = orders.flatMap((order) =>
    Object.entries(order.answers ?? {}).map(([slug, answers]) => ({
      id: lineIdOf(order, slug),
      productId: demoId('product', slug),
      answers: Object.entries(answers).map(([label, value]) => ({ label, value })),
    })),
  );
  await writeAnswers({ cipher }, trx, lines);
}
