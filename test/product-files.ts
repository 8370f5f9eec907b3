import { createHash, randomBytes } from 'node:crypto';
import type { NewProduct } from '../src/server/platform/database/tables.ts';
import { type MadeProduct, makeProduct } from './factories.ts';
import type { OpenShop } from './purchases.ts';
import type { Shopper } from './shopper.ts';
import { signedIn } from './signed-in.ts';

interface NewFile {
  name?: string;
  mediaType?: string;
  content: Buffer;
}

const hexHash = (content: Buffer) => createHash('sha256').update(content).digest('hex');

/** Uploads a file as the dashboard does, or only its first `pieces` pieces, with which it cannot be published. */
export async function uploadProductFile(
  admin: Shopper,
  productId: string,
  { name = 'Guide.pdf', mediaType = 'application/pdf', content }: NewFile,
  { pieces: wanted }: { pieces?: number } = {},
) {
  const files = `/api/digital-products/${productId}/files`;
  const started = await admin.post(files, { name, mediaType, bytes: content.length });
  if (started.status !== 201) throw new Error(`The upload was refused: ${JSON.stringify(started.body)}`);
  const { _id, pieces, pieceBytes } = started.body.data as unknown as {
    _id: string;
    pieces: number;
    pieceBytes: number;
  };
  for (let piece = 0; piece < (wanted ?? pieces); piece += 1) {
    const part = content.subarray(piece * pieceBytes, (piece + 1) * pieceBytes);
    const { status, body } = await sendPiece(admin, { productId, fileId: _id, piece, part });
    if (status !== 200) throw new Error(`Piece ${piece} was refused: ${JSON.stringify(body)}`);
  }
  return { fileId: _id, publish: (body = {}) => admin.post(`${files}/${_id}/publish`, body) };
}

export const sendPiece = (
  by: Shopper,
  {
    productId,
    fileId,
    piece,
    part,
    sha256 = hexHash(part),
  }: Record<'productId' | 'fileId', string> & { piece: number; part: Buffer; sha256?: string },
) =>
  by.send(
    'PUT',
    `/api/digital-products/${productId}/files/${fileId}/pieces/${piece}?sha256=${sha256}`,
    new Uint8Array(part),
    { 'content-type': 'application/octet-stream' },
  );

/** Creates a product whose buyers download `bytes` random bytes. */
export async function makeFileProduct(
  shop: OpenShop,
  { bytes = 600_000, file = {}, ...overrides }: Partial<NewProduct> & { bytes?: number; file?: Partial<NewFile> } = {},
): Promise<{ product: MadeProduct; content: Buffer; admin: Shopper; fileId: string }> {
  const admin = await signedIn(shop, { role: 'admin' });
  const product = await makeProduct(shop.deps, { items: 0, delivery: 'file', ...overrides });
  const content = randomBytes(bytes);
  const { publish, fileId } = await uploadProductFile(admin, product.id, { content, ...file });
  const { status, body } = await publish();
  if (status !== 200) throw new Error(`The file was not published: ${JSON.stringify(body)}`);
  return { product, content, admin, fileId };
}

/** Buys a file as a customer; returns the ids of the order and of its items. */
export async function buyFile(shop: OpenShop, product: MadeProduct, quantity = 1) {
  const buyer = await signedIn(shop);
  const { orderId } = await buyer.buy([{ product, quantity }]);
  const rows = await shop.deps.db
    .selectFrom('items')
    .innerJoin('order_lines', 'order_lines.id', 'order_line_id')
    .select('items.id')
    .where('order_id', '=', orderId)
    .orderBy('unit')
    .execute();
  const items = rows.map(({ id }) => id);
  return { buyer, orderId, itemId: items[0] ?? '', items };
}

/** Asks for a grant; returns the answer with the URL of the download and the cookie that opens it. */
export async function askForDownload(by: Shopper, { orderId, itemId }: { orderId: string; itemId: string }) {
  const answer = await by.post(`/api/digital-orders/${orderId}/items/${itemId}/download`);
  const cookie = answer.headers.getSetCookie().find((line) => line.startsWith('download='));
  const url = (answer.body.data?.['url'] ?? '') as string;
  return { ...answer, url, setCookie: cookie ?? '', cookie: cookie?.split(';')[0] ?? '' };
}

/** Downloads the file of a grant, or the range that the headers ask for. */
export async function readDownload(
  shopUrl: string,
  { url, cookie }: { url: string; cookie: string },
  headers: Record<string, string> = {},
  method = 'GET',
) {
  const response = await fetch(`${shopUrl}${url}`, { method, headers: { cookie, ...headers } });
  return { status: response.status, headers: response.headers, content: Buffer.from(await response.arrayBuffer()) };
}
