import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { weighFirstLoad } from '../../scripts/check/first-load.ts';
import { makeScratchTree } from './scratch-tree.ts';

const page = '<script type="module" src="/assets/main.js"></script><link rel="modulepreload" href="/assets/kit.js">';
// Gzip shrinks random base64 by a quarter, to the size of the random bytes.
const scriptOf = (kilobytes: number) => randomBytes(kilobytes * 1000).toString('base64');

function weigh({ kit = 1, card = 1, packages = {} }: { kit?: number; card?: number; packages?: object }) {
  const tree = makeScratchTree(tmpdir(), {
    'index.html': page,
    'assets/main.js': scriptOf(100),
    'assets/kit.js': scriptOf(kit),
    'assets/card.js': scriptOf(card),
    '.vite/packages.json': JSON.stringify(packages),
  });
  try {
    return weighFirstLoad(tree.root);
  } finally {
    tree.remove();
  }
}

test('scripts that are loaded later do not count', () => {
  const { kilobytes, findings } = weigh({ card: 400, packages: { 'assets/card.js': ['@stripe/stripe-js'] } });
  expect(findings).toEqual([]);
  expect(kilobytes).toMatch(/^101\.\d of 130 kB gzipped$/);
});

test('a first load above 130 kB is reported with its size', () => {
  expect(weigh({ kit: 31 }).findings).toEqual([
    { path: 'index.html', message: expect.stringMatching(/^names 131\.\d of 130 kB gzipped$/) },
  ]);
});

test.each(['@stripe/react-stripe-js', 'zod', 'react-hook-form', '@base-ui/react', 'recharts', 'qrcode'])(
  '%s in the first load is reported',
  (name) => {
    expect(weigh({ packages: { 'assets/kit.js': ['react', name] } }).findings).toEqual([
      { path: 'assets/kit.js', message: `${name} is in the first load` },
    ]);
  },
);
