import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

// In development the shop itself runs beside Vite and answers all that is not a page.
const shop = process.env['API_URL'] ?? 'http://127.0.0.1:3000';

/** Leaves beside the pages which packages each script holds, for the check of the first load. */
const listPackages: Plugin = {
  name: 'list-packages',
  apply: 'build',
  generateBundle(_options, bundle) {
    const packages: Record<string, string[]> = {};
    for (const output of Object.values(bundle)) {
      if (output.type !== 'chunk') continue;
      const names = output.moduleIds.map((id) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(id)?.[1]);
      packages[output.fileName] = [...new Set(names.filter((name) => name !== undefined))];
    }
    this.emitFile({ type: 'asset', fileName: '.vite/packages.json', source: JSON.stringify(packages) });
  },
};

/** Leaves a .br and a .gz beside every file that is text, made once with all the patience that takes. */
function precompress(): Plugin {
  let folder = '';
  return {
    name: 'precompress',
    apply: 'build',
    configResolved({ root, build }) {
      folder = resolve(root, build.outDir);
    },
    closeBundle() {
      for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
        if (!/\.(js|css|svg)$/.test(name)) continue;
        const path = join(folder, name);
        const content = readFileSync(path);
        writeFileSync(`${path}.br`, brotliCompressSync(content));
        writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
      }
    },
  };
}

export default defineConfig({
  root: 'src/web',
  plugins: [react(), tailwind(), listPackages, precompress()],
  build: {
    outDir: '../../dist/web',
    emptyOutDir: true,
    // The server reads there which scripts a screen will want.
    manifest: true,
    // The first versions that know light-dark() and popover, on which the themes and menus stand. README.md names them, and
    // index.html says when the last of them appeared.
    target: ['chrome123', 'edge123', 'firefox128', 'safari17.5'],
    // The server's policy for scripts and styles forbids data: URLs.
    assetsInlineLimit: 0,
    // All of those browsers know modulepreload.
    modulePreload: { polyfill: false },
    // One file of all that every page needs: compressed together it is smaller than in four. It names all other chunks, so
    // the icons that several of them share are one chunk.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'first-load', tags: ['$initial'] },
            { name: 'icons', test: /lucide-react/, minShareCount: 2 },
          ],
        },
      },
    },
  },
  server: { proxy: { '/api': shop, '/test-mode': shop, '/demo/covers': shop } },
});
