import { AppError } from '../../../shared/errors.ts';
import type { FileVersion } from '../../../shared/files.ts';
import type { Deps } from '../../deps.ts';
import type { ProductFileRow } from '../../platform/database/tables.ts';
import type { Route } from '../../platform/http/route.ts';
import { listFileVersions } from '../files/files.queries.ts';
import { publishFile, savePiece, startUpload } from '../files/upload-file.ts';
import { findProductName } from '../inventory/stock.queries.ts';
import { describeSharedContent, revealSharedContent, setSharedContent } from './shared-content.ts';

/** What every buyer of a product gets: its content or its file. */
export function deliveryRoutes(route: Route, deps: Deps): void {
  route('GET /digital-products/:id/content', async ({ params }) => ({
    data: await describeSharedContent(deps.db, params.id),
  }));

  route('PUT /digital-products/:id/content', async ({ params, body, actor }) => ({
    data: await setSharedContent(deps, { productId: params.id, ...body, actor }),
  }));

  route('POST /digital-products/:id/content/reveal', async ({ params, body, viewer, actor }) => {
    const by = { ...viewer, actor };
    return { data: { content: await revealSharedContent(deps, { productId: params.id, ...body, ...by }) } };
  });

  route('GET /digital-products/:id/files', async ({ params: { id } }) => {
    if ((await findProductName(deps.db, id)) === undefined) throw new AppError('NOT_FOUND', 'Product not found');
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
