import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

// In development the shop itself runs beside Vite and answers all that is not a page.
const shop = process.env['API_URL'] ?? 'http://127.0.0.1:3000';

export default defineConfig({
  root: 'src/web',
  plugins: [react(), tailwind()],
  build: {
    outDir: '../../dist/web',
    emptyOutDir: true,
    // The first versions that know light-dark() and popover, on which the themes and menus stand.
    target: ['chrome123', 'edge123', 'firefox128', 'safari17.5'],
    // The server's policy for scripts and styles forbids data: URLs.
    assetsInlineLimit: 0,
    // All of those browsers know modulepreload.
    modulePreload: { polyfill: false },
  },
  server: {
    proxy: { '/api': shop, '/test-mode': shop, '/demo/covers': shop },
  },
});
