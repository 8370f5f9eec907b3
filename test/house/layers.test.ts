import { tmpdir } from 'node:os';
import { describe, expect, test } from 'vitest';
import { checkLayers } from '../../scripts/check/layers.ts';
import type { Finding } from '../../scripts/check/source-files.ts';
import { type Files, makeScratchTree } from './scratch-tree.ts';

function findingsIn(files: Files): Finding[] {
  const tree = makeScratchTree(tmpdir(), files);
  try {
    return checkLayers(tree.root);
  } finally {
    tree.remove();
  }
}

/** Returns the messages about one file with one import. */
const messagesAbout = (path: string, statement: string) =>
  findingsIn({ [path]: `${statement}\n` }).map(({ message }) => message);

describe('an import of a lower layer is allowed', () => {
  test.each([
    ['src/shared/api.ts', "import * as z from 'zod/mini';"],
    ['src/shared/api.ts', "import { order } from './orders.ts';"],
    ['packages/stripe-test-mode/src/call.ts', "import type { Store } from './store.ts';"],
    ['packages/stripe-test-mode/src/webhooks.ts', "import { Stripe } from 'stripe';"],
    ['packages/stripe-test-mode/test/cards.suite.ts', "import { expect } from 'vitest';"],
    ['src/server/platform/payments/test-mode.ts', "import { create } from '@kedai/stripe-test-mode';"],
    ['src/web/routes.tsx', "import { CartScreen } from './features/cart/cart-screen.tsx';"],
    ['src/web/features/cart/cart-screen.tsx', "import { Button } from '../../ui/button.tsx';"],
    ['src/web/features/cart/cart-screen.tsx', "import { useCart } from '../../state/cart.tsx';"],
    ['src/web/state/cart.tsx', "import { call } from '../lib/api-client.ts';"],
    ['src/web/lib/api-client.ts', "import { endpoints } from '../../shared/api.ts';"],
    ['src/server/main.ts', "import { buildApp } from './app.ts';"],
    ['src/server/main.ts', "import { makeDemoData } from './demo/make-demo-data.ts';"],
    ['src/server/app.ts', "import { ordersRoutes } from './features/orders/orders.routes.ts';"],
    ['src/server/features/checkout/settle-order.ts', "import { getOrder } from '../orders/orders.queries.ts';"],
    ['src/server/features/checkout/settle-order.ts', "import type { Deps } from '../../deps.ts';"],
    ['src/server/features/checkout/settle-order.ts', "import { totalsOf } from '../../../shared/pricing.ts';"],
    [
      'src/server/features/checkout/settle-order.test.ts',
      "import { createTestDatabase } from '../../../../test/database.ts';",
    ],
  ])('%s: %s', (path, statement) => {
    expect(messagesAbout(path, statement)).toEqual([]);
  });
});

describe('a forbidden import is reported', () => {
  test.each([
    [
      'src/shared/pricing.ts',
      "import { readFile } from 'node:fs/promises';",
      'shared may not import the package node:fs',
    ],
    ['src/shared/pricing.ts', "import { Button } from '../web/ui/button.tsx';", 'shared may not import web ui'],
    ['src/shared/pricing.ts', "import type { Deps } from '../server/deps.ts';", 'shared may not import deps'],
    [
      'src/web/lib/storage.ts',
      "import type { Config } from '../../server/config.ts';",
      'web lib may not import config',
    ],
    [
      'src/server/platform/clock.ts',
      "import { call } from '../../web/lib/api-client.ts';",
      'platform may not import web lib',
    ],
    ['src/web/ui/badge.tsx', "import { formatPrice } from '../../shared/currency.ts';", 'web ui may not import shared'],
    ['src/web/ui/badge.tsx', "import { useCart } from '../state/cart.tsx';", 'web ui may not import web state'],
    ['src/web/lib/storage.ts', "import { useCart } from '../state/cart.tsx';", 'web lib may not import web state'],
    [
      'src/web/state/cart.tsx',
      "import { Cart } from '../features/cart/cart.tsx';",
      'web state may not import web feature',
    ],
    ['src/web/state/cart.tsx', "import { Badge } from '../ui/badge.tsx';", 'web state may not import web ui'],
    [
      'src/web/features/cart/cart.tsx',
      "import { routes } from '../../routes.tsx';",
      'web feature may not import web routes',
    ],
    [
      'src/web/features/cart/cart.tsx',
      "import { Pay } from '../checkout/pay.tsx';",
      'a web feature may not import another',
    ],
    [
      'src/web/features/cart/cart.tsx',
      "const pay = import('../checkout/pay.tsx');",
      'a web feature may not import another',
    ],
    [
      'src/server/platform/clock.ts',
      "import { settle } from '../features/checkout/settle.ts';",
      'platform may not import server feature',
    ],
    ['src/server/platform/clock.ts', "import type { Deps } from '../deps.ts';", 'platform may not import deps'],
    [
      'src/server/features/orders/list.ts',
      "import { buildApp } from '../../app.ts';",
      'server feature may not import app',
    ],
    [
      'src/server/features/orders/list.ts',
      "import { makeDemoData } from '../../demo/make.ts';",
      'server feature may not import demo',
    ],
    ['src/server/features/orders/list.ts', "import { config } from '../../config.ts';", 'only with "import type"'],
    [
      'src/server/features/orders/list.ts',
      "import { orders } from '../accounts/accounts.routes.ts';",
      "another's routes",
    ],
    [
      'src/server/main.ts',
      "import { orders } from './features/orders/orders.routes.ts';",
      'only app.ts may import routes',
    ],
    ['src/server/app.ts', "import { start } from './main.ts';", 'app may not import main'],
    [
      'src/server/app.ts',
      "import { createTestDatabase } from '../../test/database.ts';",
      'the shop may not import test/database.ts',
    ],
    ['src/elsewhere/thing.ts', "import { a } from '../shared/api.ts';", 'belongs to no layer'],
    [
      'packages/stripe-test-mode/src/store.ts',
      "import type { Clock } from '../../../src/server/platform/clock.ts';",
      'package may not import platform',
    ],
    [
      'packages/stripe-test-mode/src/money.ts',
      "import { totalsOf } from '../../../src/shared/pricing.ts';",
      'package may not import shared',
    ],
    [
      'packages/stripe-test-mode/test/cards.test.ts',
      "import { createTestDatabase } from '../../../test/database.ts';",
      'the shop may not import test/database.ts',
    ],
    [
      'packages/stripe-test-mode/src/store.ts',
      "import { sql } from 'kysely';",
      'package may not import the package kysely',
    ],
    [
      'packages/stripe-test-mode/src/store.ts',
      "import { a } from '../../other/src/a.ts';",
      'a package may not import another',
    ],
    [
      'src/server/platform/payments/test-mode.ts',
      "import { create } from '../../../../packages/stripe-test-mode/src/stripe-test-mode.ts';",
      'platform may not import package',
    ],
  ])('%s: %s', (path, statement, message) => {
    expect(messagesAbout(path, statement)).toEqual([expect.stringContaining(message)]);
  });

  test.each([
    ['over several lines', "import {\n  call,\n  type Call,\n} from '../../web/lib/api-client.ts';"],
    ['as a re-export', "export { call } from '../../web/lib/api-client.ts';"],
    ['for its side effect', "import '../../web/lib/api-client.ts';"],
    ['as a dynamic import', "const client = await import('../../web/lib/api-client.ts');"],
    ['in a type', "type Call = import('../../web/lib/api-client.ts').Call;"],
  ])('also when it is written %s', (_how, statement) => {
    expect(messagesAbout('src/server/platform/clock.ts', statement)).toHaveLength(1);
  });

  test('with its line', () => {
    const source =
      "import pg from 'pg';\n\nimport { a } from './b.ts';\n\nimport { call } from '../../web/lib/api-client.ts';\n";
    expect(findingsIn({ 'src/server/platform/clock.ts': source })).toMatchObject([
      { path: 'src/server/platform/clock.ts', line: 5 },
    ]);
  });
});

test('a dependency cycle between server features is reported, even through a third feature', () => {
  const circle = findingsIn({
    'src/server/features/orders/list-orders.ts': "import { a } from '../accounts/find-account.ts';\n",
    'src/server/features/accounts/find-account.ts': "import { b } from '../checkout/settle-order.ts';\n",
    'src/server/features/checkout/settle-order.ts': "import { c } from '../orders/list-orders.ts';\n",
    'src/server/features/catalog/list-products.ts': "import { d } from '../orders/list-orders.ts';\n",
  });
  expect(circle.map(({ path }) => path)).toEqual([
    'src/server/features/accounts/find-account.ts',
    'src/server/features/checkout/settle-order.ts',
    'src/server/features/orders/list-orders.ts',
  ]);
});
