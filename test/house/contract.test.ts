import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeScratchTree, repositoryRoot } from './scratch-tree.ts';

const run = promisify(execFile);

/** A mistake, and what the compiler must say about it. */
interface Mistake {
  fact: string;
  path: string;
  source: string;
  refusal: RegExp;
}

const endpointWith = (access: string) =>
  [
    "import * as z from 'zod/mini';",
    "import type { Endpoints } from '../endpoint.ts';",
    `export const a = { 'GET /a': { ${access} summary: 'A', output: z.object({ a: z.string() }) } } as const satisfies Endpoints;`,
  ].join('\n');

const LIST_CATEGORIES = 'GET /digital-products/categories/list';

const handlerOf = (call: string, handler: string) =>
  [
    "import type { Route } from '../platform/http/route.ts';",
    `export const a = (route: Route) => route('${call}', ${handler});`,
  ].join('\n');

const callOf = (call: string) =>
  ["import { call } from '../lib/api-client.ts';", `export const a = () => ${call};`].join('\n');

const category = "{ name: 'Game Keys' as const, totalStock: 3 }";
const credentials = "email: 'mina@example.com', password: 'opens-it'";

const mistakes: Mistake[] = [
  {
    fact: 'an endpoint without an access level',
    path: 'src/shared/planted/no-access.ts',
    source: endpointWith(''),
    refusal: /Property 'access' is missing/,
  },
  {
    fact: 'an endpoint with an unknown access level',
    path: 'src/shared/planted/unknown-access.ts',
    source: endpointWith("access: 'everybody',"),
    refusal: /Type '"everybody"' is not assignable/,
  },
  {
    fact: 'an endpoint with an unknown property',
    path: 'src/shared/planted/unknown-part.ts',
    source: [
      "import { forAll, okResponse } from '../endpoint.ts';",
      "export const a = forAll('A', { output: okResponse, personel: true });",
    ].join('\n'),
    refusal: /Type 'true' is not assignable to type 'never'/,
  },
  {
    fact: 'a handler that omits a part of its response',
    path: 'src/server/planted/no-answer.ts',
    source: handlerOf(LIST_CATEGORIES, 'async () => ({})'),
    refusal: /Type '{}' is not assignable/,
  },
  {
    fact: 'a handler that returns another shape',
    path: 'src/server/planted/wrong-answer.ts',
    source: handlerOf(LIST_CATEGORIES, "async () => ({ data: [{ name: 'Game Keys' as const, totalStock: '3' }] })"),
    refusal: /Type 'string' is not assignable to type 'number'/,
  },
  {
    fact: 'a handler that assumes a viewer on an endpoint open to visitors',
    path: 'src/server/planted/no-viewer.ts',
    source: handlerOf(LIST_CATEGORIES, `async ({ viewer }) => ({ data: [${category}], seenBy: viewer.userId })`),
    refusal: /'viewer' is possibly 'null'|Property 'userId' does not exist on type 'never'/,
  },
  {
    fact: 'a handler that reads input the endpoint does not have',
    path: 'src/server/planted/no-body.ts',
    source: handlerOf(LIST_CATEGORIES, `async ({ body }) => ({ data: [${category}], body })`),
    refusal: /Property 'body' does not exist/,
  },
  {
    fact: 'a handler of a call that the contract does not have',
    path: 'src/server/planted/unknown-call.ts',
    source: handlerOf('GET /tea', 'async () => ({})'),
    refusal: /"GET \/tea"' is not assignable/,
  },
  {
    fact: 'a call of the browser that the contract does not have',
    path: 'src/web/planted/unknown-call.ts',
    source: callOf("call('GET /tea', {})"),
    refusal: /"GET \/tea"' is not assignable/,
  },
  {
    fact: 'a call of the browser without its body',
    path: 'src/web/planted/no-body.ts',
    source: callOf('call("POST /auth/login")'),
    refusal: /Expected 2 arguments/,
  },
  {
    fact: 'a call of the browser with a wrong body',
    path: 'src/web/planted/wrong-body.ts',
    source: callOf('call("POST /auth/login", { body: { email: 5, password: "opens-it" } })'),
    refusal: /Type 'number' is not assignable to type 'string'/,
  },
  {
    fact: 'a call of the browser with a field the endpoint does not know',
    path: 'src/web/planted/unknown-field.ts',
    source: callOf(`call('POST /auth/login', { body: { ${credentials}, admin: true } })`),
    refusal: /'admin' does not exist/,
  },
  {
    fact: 'a read of a response field that the contract does not have',
    path: 'src/web/planted/wrong-reading.ts',
    source: callOf(`call('POST /auth/login', { body: { ${credentials} } }).then((answer) => answer.password)`),
    refusal: /Property 'password' does not exist/,
  },
];

const correct = {
  'src/shared/planted/correct.ts': endpointWith("access: 'admin',"),
  'src/server/planted/correct.ts': handlerOf(LIST_CATEGORIES, `async () => ({ data: [${category}] })`),
  'src/web/planted/correct.ts': callOf(
    "call('POST /auth/forgotpassword', { body: { email: 'mina@example.com' } }).then((answer) => answer.success)",
  ),
};

const compilerOptions = {
  noEmit: true,
  composite: false,
  emitDeclarationOnly: false,
  lib: ['es2024', 'dom', 'dom.iterable'],
  types: ['node', 'vite/client'],
  jsx: 'react-jsx',
};

let diagnostics: { path: string; message: string }[];

/** Runs the compiler once over a copy of the shop with all the mistakes. */
beforeAll(async () => {
  const planted = Object.fromEntries(mistakes.map(({ path, source }) => [path, `${source}\n`]));
  const files = [...Object.keys(planted), ...Object.keys(correct)];
  const tree = makeScratchTree(
    // Inside the repository, so that the compiler finds the packages.
    join(repositoryRoot, '.cache'),
    {
      ...planted,
      ...correct,
      'tsconfig.json': JSON.stringify({ extends: './tsconfig.base.json', compilerOptions, files }),
    },
    ['src', 'tsconfig.base.json', 'package.json'],
  );
  try {
    const tsc = join(repositoryRoot, 'node_modules/typescript/bin/tsc');
    const { stdout } = await run(process.execPath, [tsc, '--pretty', 'false'], { cwd: tree.root }).catch(
      (failure) => failure,
    );
    diagnostics = (stdout as string).split(/\n(?=\S)/).flatMap((text) => {
      const match = /^(?<path>[^(]+)\(\d+,\d+\): error (?<message>[\s\S]+)/.exec(text);
      return match?.groups ? [{ path: match.groups['path'] ?? '', message: match.groups['message'] ?? '' }] : [];
    });
  } finally {
    tree.remove();
  }
});

describe('does not compile:', () => {
  test.each(mistakes)('$fact', ({ path, refusal }) => {
    expect(diagnostics.filter((diagnostic) => diagnostic.path === path)).toEqual([
      { path, message: expect.stringMatching(refusal) },
    ]);
  });
});

test('the corrected code compiles', () => {
  const places = new Set(mistakes.map(({ path }) => path));
  expect(diagnostics.filter(({ path }) => !places.has(path))).toEqual([]);
});
