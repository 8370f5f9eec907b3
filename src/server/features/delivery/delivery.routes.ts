import type { FileVersion, SharedContent } from '../../../shared/delivery.ts';
import { AppError, orNotFound } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import { toColumns } from '../../platform/crypto/item-cipher.ts';
import type { Database } from '../../platform/database/database.ts';
import type { ProductFileRow } from '../../platform/database/tables.ts';
import type { Actor } from '../../platform/http/client.ts';
import type { AdminActor, Route } from '../../platform/http/route.ts';
import { writeAudit } from '../admin/audit-log.ts';
import { lockProductsById } from '../catalog/products.queries.ts';
import { listFileVersions } from '../files/files.queries.ts';
import { publishFile, savePiece, startUpload } from '../files/upload-file.ts';
import { maskContents, maskTyped } from '../inventory/mask-secrets.ts';
import { findProductName } from '../inventory/stock.queries.ts';
import { withFreshCode } from '../two-factor/two-factor.ts';
import { findSharedContent, saveSharedContent } from './delivery.queries.ts';
import { readSharedContent } from './make-items.ts';

/** What every buyer of a product gets: its content or its file. */
export function deliveryRoutes(route: Route, deps: Deps): void {
  route('GET /digital-products/:id/content', async ({ params }) => ({
    data: await describeSharedContent(deps.db, params.id),
  }));

  // With an outdated version, a conflict tells that a guess is not the stored content.
  route('PUT /digital-products/:id/content', async ({ params, body, actor }) => ({
    data: await deps.limits.countFailures('delivery-guess', { user: actor.userId }, () =>
      setSharedContent(deps, { productId: params.id, ...body, actor }),
    ),
  }));

  route('POST /digital-products/:id/content/reveal', async ({ params, body, actor }) => ({
    data: { content: await revealSharedContent(deps, { productId: params.id, ...body, actor }) },
  }));

  route('GET /digital-products/:id/files', async ({ params: { id } }) => {
    orNotFound(await findProductName(deps.db, id), 'Product not found');
    return { data: (await listFileVersions(deps.db, id)).map(presentVersion) };
  });

  route('POST /digital-products/:id/files', async ({ params, body }) => ({
    data: await startUpload(deps, { ...params, ...body }),
  }));

  route('PUT /digital-products/:id/files/:fileId/pieces/:piece', ({ params, query, file }) =>
    savePiece(deps, { ...params, ...query, content: file }),
  );

  route('POST /digital-products/:id/files/:fileId/publish', async ({ params, body, actor }) => ({
    data: presentVersion(await publishFile(deps, { ...params, ...body, actor })),
  }));
}

const presentVersion = (file: ProductFileRow): FileVersion => ({
  _id: file.id,
  version: file.version ?? 0,
  name: file.name,
  bytes: file.bytes,
  sha256: file.sha256?.toString('hex') ?? '',
  publishedAt: (file.published_at ?? file.created_at).toISOString(),
  isCurrent: file.superseded_at === null,
  tellsBuyers: file.tells_buyers,
});

/** Describes the content of a product for administrators, without the content itself. */
async function describeSharedContent(db: Database, productId: string): Promise<SharedContent> {
  const row = await findSharedContent(db, productId);
  return row ? { version: row.version, updatedAt: row.updated_at.toISOString() } : null;
}

interface OfProduct {
  productId: string;
  actor: Actor;
}

/**
 * Sets the content of a shared product, or a newer version of it. Earlier buyers keep theirs. Throws NOT_FOUND, and
 * EDIT_CONFLICT when `version` is not the stored one, unless the stored content is the same: a repeat after a lost answer.
 */
function setSharedContent(
  deps: Deps,
  { productId, content, version: seen, actor }: OfProduct & { content: string; version?: number | undefined },
): Promise<SharedContent> {
  const now = deps.clock.now();
  return deps.db.transaction().execute(async (trx) => {
    const [product] = await lockProductsById(trx, [productId]);
    if (product?.delivery !== 'shared') throw new AppError('NOT_FOUND', 'Product not found');
    const current = await describeSharedContent(trx, productId);
    const stored = current?.version ?? 0;
    if (seen !== undefined && seen !== stored) {
      if (current && (await readSharedContent(deps, trx, productId)) === content) return current;
      const message = `The content was changed meanwhile, and version ${stored} is on sale. Saving now replaces it.`;
      throw new AppError('EDIT_CONFLICT', message);
    }
    const sealed = toColumns(deps.cipher.encrypt({ itemId: productId, productId, content }));
    const version = await saveSharedContent(trx, { product_id: productId, ...sealed, updated_at: now });
    const summary = `Set the content of "${product.name}", version ${version}`;
    const subject = { type: 'product' as const, id: productId };
    await writeAudit(deps, trx, { actor, action: 'product.content-set', subject, summary });
    return { version, updatedAt: now.toISOString() };
  });
}

/**
 * Decrypts the content for an administrator with a fresh two-factor code and a reason. Writes an audit entry. Throws
 * NOT_FOUND, TWO_FACTOR_NOT_SET_UP, INVALID_CODE, RATE_LIMITED.
 */
async function revealSharedContent(
  deps: Deps,
  input: OfProduct & { reason: string; actor: AdminActor; code: string },
): Promise<string> {
  const { productId, actor } = input;
  if (!(await findSharedContent(deps.db, productId)))
    throw new AppError('NOT_FOUND', 'This product has no content yet');
  const reason = await maskTyped(deps, actor, input.reason);
  return withFreshCode(deps, input, async (trx) => {
    const content = await readSharedContent(deps, trx, productId);
    const name = await findProductName(trx, productId);
    const summary = `Read the content of "${name}": ${maskContents([content], reason)}`;
    const subject = { type: 'product' as const, id: productId };
    await writeAudit(deps, trx, { actor, action: 'product.content-revealed', subject, summary });
    return content;
  });
}
