import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { makeProduct } from '../../../../test/factories.ts';
import { makeFileProduct, sendPiece, uploadProductFile } from '../../../../test/product-files.ts';
import { signedIn } from '../../../../test/signed-in.ts';
import { openTestShop } from '../../../../test/test-shop.ts';
import { MAX_FILE_BYTES, PIECE_BYTES } from '../../../shared/delivery.ts';
import { HOUR_MS } from '../../../shared/durations.ts';
import { removeEndedRows } from '../retention/retention.ts';
import { CHUNK_BYTES } from './files.queries.ts';
import { publishFile } from './upload-file.ts';

const shop = await openTestShop();
let admin = await signedIn(shop, { role: 'admin' });

const versionsOf = async (product: string) =>
  (await admin.get(`/api/digital-products/${product}/files`)).body.data as unknown as Record<string, unknown>[];

async function countOf(fileId: string) {
  const { db } = shop.deps;
  const files = await db.selectFrom('product_files').select('id').where('id', '=', fileId).execute();
  const chunks = await db.selectFrom('file_chunks').select('number').where('file_id', '=', fileId).execute();
  return { files: files.length, chunks: chunks.length };
}

const removeEnded = () => removeEndedRows(shop.deps.db, shop.deps.clock.now());

describe('an upload', () => {
  it('becomes a version with its hash when it is published, and is recorded in the audit log', async () => {
    const { id, name } = await makeProduct(shop.deps, { items: 0, delivery: 'file' });
    const content = randomBytes(PIECE_BYTES + 300_000);
    const { publish, fileId } = await uploadProductFile(admin, id, { name: 'Panduan.pdf', content });
    expect(await versionsOf(id)).toEqual([]);
    const { body } = await publish();
    // After a lost response the call is repeated.
    expect(await publish({ tellBuyers: true })).toMatchObject({ status: 200, body });
    const sha256 = createHash('sha256').update(content).digest('hex');
    expect(await versionsOf(id)).toMatchObject([
      { version: 1, name: 'Panduan.pdf', bytes: content.length, sha256, isCurrent: true, tellsBuyers: false },
    ]);
    const entries = await shop.deps.db
      .selectFrom('audit_log')
      .select(['action', 'summary'])
      .where('subject_id', '=', id)
      .execute();
    expect(entries).toEqual([
      {
        action: 'file.published',
        summary: `Published the file "Panduan.pdf" of "${name}": version 1, 2.3 MB, SHA-256 ${sha256}`,
      },
    ]);
    expect(
      (await sendPiece(admin, { productId: id, fileId, piece: 0, part: content.subarray(0, PIECE_BYTES) })).status,
    ).toBe(404);
  });

  it('is stored encrypted, with a nonce of its own for each chunk', async () => {
    const content = Buffer.alloc(600_000, 'the same words again and again, ');
    const { fileId } = await makeFileProduct(shop, { file: { content } });
    const rows = await shop.deps.db.selectFrom('file_chunks').selectAll().where('file_id', '=', fileId).execute();
    expect(rows).toHaveLength(Math.ceil(600_000 / CHUNK_BYTES));
    expect(new Set(rows.map(({ nonce }) => nonce.toString('hex'))).size).toBe(rows.length);
    for (const { ciphertext } of rows) expect(ciphertext.includes('the same words')).toBe(false);
  });

  it('cannot be published while a piece is missing', async () => {
    const { id } = await makeProduct(shop.deps, { items: 0, delivery: 'file' });
    const { publish } = await uploadProductFile(admin, id, { content: randomBytes(PIECE_BYTES + 1) }, { pieces: 1 });
    expect(await publish()).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
    expect(await versionsOf(id)).toEqual([]);
  });

  it('accepts a piece again, but rejects a wrong length, number or hash', async () => {
    const { id: productId } = await makeProduct(shop.deps, { items: 0, delivery: 'file' });
    const content = randomBytes(PIECE_BYTES + 10);
    const { fileId, publish } = await uploadProductFile(admin, productId, { content });
    const send = (piece: number, part: Buffer, sha256?: string) =>
      sendPiece(admin, { productId, fileId, piece, part, ...(sha256 && { sha256 }) });
    expect((await send(1, content.subarray(PIECE_BYTES))).status).toBe(200);
    expect((await send(1, randomBytes(9))).status).toBe(400);
    expect((await send(0, randomBytes(10))).status).toBe(400);
    expect((await send(2, randomBytes(10))).status).toBe(400);
    expect((await send(1, randomBytes(10), '0'.repeat(64))).status).toBe(400);
    expect((await send(0, randomBytes(PIECE_BYTES + 1))).status).toBe(413);
    const { body } = await publish();
    expect(body.data?.['sha256']).toBe(createHash('sha256').update(content).digest('hex'));
  });

  it.each([
    [{ bytes: MAX_FILE_BYTES + 1 }, 'bytes'],
    [{ bytes: 0 }, 'bytes'],
    [{ name: '../secret.pdf' }, 'name'],
    [{ name: 'a\u0007.pdf' }, 'name'],
    [{ name: '..' }, 'name'],
    [{ mediaType: 'text/html; charset=utf-8' }, 'mediaType'],
  ])('of %j is rejected', async (wrong, field) => {
    const { id } = await makeProduct(shop.deps, { items: 0, delivery: 'file' });
    const file = { name: 'Guide.pdf', mediaType: 'application/pdf', bytes: 10, ...wrong };
    expect(await admin.post(`/api/digital-products/${id}/files`, file)).toMatchObject({ status: 400, body: { field } });
  });

  it('is allowed only to administrators, and only for a file product', async () => {
    const { id } = await makeProduct(shop.deps, { items: 0, delivery: 'file' });
    const file = { name: 'Guide.pdf', mediaType: 'application/pdf', bytes: 10 };
    const customer = await signedIn(shop);
    expect((await customer.post(`/api/digital-products/${id}/files`, file)).status).toBe(403);
    const { id: keys } = await makeProduct(shop.deps);
    expect((await admin.post(`/api/digital-products/${keys}/files`, file)).status).toBe(404);
    const missing = '01900000-0000-7000-8000-000000000000';
    expect((await admin.post(`/api/digital-products/${missing}/files`, file)).status).toBe(404);
  });
});

describe('file versions', () => {
  it('an interrupted upload is removed when another begins, and after a day', async () => {
    const { id } = await makeProduct(shop.deps, { items: 0, delivery: 'file' });
    const content = randomBytes(PIECE_BYTES + 1);
    const first = await uploadProductFile(admin, id, { content }, { pieces: 1 });
    const second = await uploadProductFile(admin, id, { content }, { pieces: 1 });
    expect(await countOf(first.fileId)).toEqual({ files: 0, chunks: 0 });
    expect((await first.publish()).status).toBe(404);
    await removeEnded();
    expect(await countOf(second.fileId)).toEqual({ files: 1, chunks: PIECE_BYTES / CHUNK_BYTES });
    shop.pass(24 * HOUR_MS);
    admin = await signedIn(shop, { role: 'admin' });
    await removeEnded();
    expect(await countOf(second.fileId)).toEqual({ files: 0, chunks: 0 });
  });

  it('a new version replaces the previous one, whose bytes are removed after two days', async () => {
    const { product, fileId } = await makeFileProduct(shop);
    const publishFirst = () => admin.post(`/api/digital-products/${product.id}/files/${fileId}/publish`, {});
    expect((await publishFirst()).status).toBe(200);
    const second = await uploadProductFile(admin, product.id, { name: 'Guide 2.pdf', content: randomBytes(10) });
    await second.publish();
    expect((await publishFirst()).status).toBe(404);
    expect(await versionsOf(product.id)).toMatchObject([
      { version: 2, name: 'Guide 2.pdf', isCurrent: true },
      { version: 1, isCurrent: false },
    ]);
    await removeEnded();
    expect(await countOf(fileId)).toEqual({ files: 1, chunks: Math.ceil(600_000 / CHUNK_BYTES) });
    shop.pass(48 * HOUR_MS);
    admin = await signedIn(shop, { role: 'admin' });
    await removeEnded();
    expect(await countOf(fileId)).toEqual({ files: 1, chunks: 0 });
    expect(await countOf(second.fileId)).toEqual({ files: 1, chunks: 1 });
  });

  it('a new version becomes current even if the clock of its process is behind', async () => {
    const { product, fileId } = await makeFileProduct(shop);
    const second = await uploadProductFile(admin, product.id, { name: 'Guide 2.pdf', content: randomBytes(10) });
    const now = new Date(shop.deps.clock.now().getTime() - 5_000);
    const behind = { ...shop.deps, clock: { ...shop.deps.clock, now: () => now } };
    const actor = { userId: null, name: 'boss@example.com', ip: '' };
    await publishFile(behind, { id: product.id, fileId: second.fileId, actor });
    expect(await versionsOf(product.id)).toMatchObject([
      { version: 2, _id: second.fileId, isCurrent: true },
      { version: 1, _id: fileId, isCurrent: false },
    ]);
  });
});
