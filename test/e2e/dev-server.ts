import { resolve } from 'node:path';
import { createServer, type ViteDevServer } from 'vite';
import { test as base } from './fixtures.ts';

const repository = resolve(import.meta.dirname, '../..');

/** Returns a test of pages that Vite's development server serves, in front of the shop. */
const testOf = (root: string) =>
  base.extend<object, { devServer: ViteDevServer }>({
    devServer: [
      async ({ shop }, use) => {
        process.env['API_URL'] = shop.url;
        const server = await createServer({
          configFile: resolve(repository, 'vite.config.ts'),
          root: resolve(repository, root),
          publicDir: resolve(repository, 'src/web/public'),
          cacheDir: resolve(repository, '.cache/vite-e2e', root),
          logLevel: 'error',
          server: { port: 0 },
        });
        await server.listen();
        await use(server);
        await server.close();
      },
      { scope: 'worker', timeout: 180_000 },
    ],
    baseURL: ({ devServer }, use) => use(devServer.resolvedUrls?.local[0]),
  });

/** The shop's pages, as `npm run dev` serves them. */
export const testOfDevServer = testOf('src/web');

/** The page in kit-page/, which shows every part of src/web/ui in every state. */
export const testOfKit = testOf('test/e2e/kit-page');
