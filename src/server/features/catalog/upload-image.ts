import { createHash } from 'node:crypto';
import type { Deps } from '../../deps.ts';
import { type Actor, writeAudit } from '../audit/write-audit.ts';
import { insertImage } from './images.queries.ts';
import { normalizeImage } from './normalize-image.ts';

/** Keeps a picture in our own form, under the hash of its content; throws like normalizeImage. */
export async function uploadImage(
  deps: Pick<Deps, 'db' | 'cipher' | 'clock'>,
  { file, actor }: { file: Buffer; actor: Actor },
): Promise<{ url: string; width: number; height: number }> {
  const { content, width, height } = await normalizeImage(file);
  const id = createHash('sha256').update(content).digest('hex');
  await deps.db.transaction().execute(async (trx) => {
    await insertImage(trx, {
      id,
      content,
      media_type: 'image/webp',
      width,
      height,
      created_at: deps.clock.now(),
    });
    await writeAudit(deps, trx, {
      actor,
      action: 'image.uploaded',
      subject: { type: 'image', id },
      summary: `Uploaded an image of ${width} × ${height} pixels`,
    });
  });
  return { url: `/images/${id}.webp`, width, height };
}
