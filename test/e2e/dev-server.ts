import { createServer, type ViteDevServer } from 'vite';
import { test as base } from './fixtures.ts';

/** The pages as `npm run dev` serves them, in front of the shop. */
export const test = base.extend<object, { devServer: ViteDevServer }>({
  devServer: [
    async ({ shop }, use) => {
      process.env['API_URL'] = shop.url;
      const server = await createServer({
        cacheDir: '../../.cache/vite-e2e',
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
