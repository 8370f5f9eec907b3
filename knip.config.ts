import type { KnipConfig } from 'knip';

export default {
  workspaces: {
    '.': {
      entry: [
        'src/server/main.ts',
        // Linked from index.html.
        'src/web/styles.css',
        'test/**/*.test.ts',
        // Named for Playwright on the command line (scripts/screenshots.mjs).
        'screenshots.config.ts',
        'test/screenshots/*.shots.ts',
        // Linked from its index.html.
        'test/e2e/kit-page/{main.tsx,kit.css}',
        // Started as processes of their own.
        'scripts/check/{house-rules.ts,weigh-first-load.mjs}',
        'scripts/commands/{admin-create,audit-verify,backup,keys-rotate,migrate,reconcile,restore,restore-release,shop-closed,test-stripe,verify}.ts',
        'test/bench/{bench,processes-bench,admin-bench,backup-bench,downloads-bench,bare-server}.ts',
        'test/faults/{crashing-shop,bundle-shop}.ts',
        'test/drill/drill.ts',
        'test/soak/soak.ts',
        // Named for Vitest on the command line.
        '{stripe.config,test/stripe/sandbox}.ts',
        'test/image/try-image.ts',
        'test/screenshots/make-contact-sheets.ts',
        'test/setup/run-embedded-server.ts',
        // Imported at run time by tests, which are TypeScript.
        'scripts/lib/programs.mjs',
        // Run by deploy/Containerfile.
        'scripts/assemble-image.mjs',
      ],
      project: ['src/**/*.{ts,tsx,css}', 'test/**/*.{ts,tsx,css}', 'scripts/**/*.{mjs,ts}'],
    },
    'packages/*': { entry: ['test/*.test.ts'], project: ['{src,test}/*.{ts,css}'] },
  },
  // A type in the signature of an exported function may be named by a caller.
  ignoreExportsUsedInFile: { interface: true, type: true },
  // Run by its path (scripts/check.mjs); imported by the kind of a manifest (test/deploy/manifests.test.ts).
  ignoreDependencies: ['@biomejs/biome', '@kubernetes-models/cloudnative-pg', 'kubernetes-models'],
  // Of the system, in tests of a full disk and of the image.
  ignoreBinaries: ['mount', 'umount', 'nsenter'],
  compilers: {
    css: (text: string) =>
      [...text.matchAll(/(?:@import\s+|url\()['"](?:..\/..\/node_modules\/)?(?<path>[^'"]+)['"]/g)]
        .map(({ groups }) => `import '${groups?.['path']}';`)
        .join('\n'),
  },
} satisfies KnipConfig;
