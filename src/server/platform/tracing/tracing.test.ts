import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { expect, test, vi } from 'vitest';
import { makeProduct } from '../../../../test/factories.ts';
import { CARDS, createShopper, GUEST_PASSWORD, intentIdOf } from '../../../../test/shopper.ts';
import { startTestShop } from '../../../../test/test-shop.ts';

interface SentSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[];
}
interface Sent {
  resourceSpans: { resource: Pick<SentSpan, 'attributes'>; scopeSpans: { spans: SentSpan[] }[] }[];
}

/** Starts a collector that keeps what it receives by OTLP over HTTP. */
async function startCollector(status = 200) {
  const sent: Sent[] = [];
  const paths = new Set<string>();
  const server = createServer(async (request, response) => {
    paths.add(`${request.method} ${request.url}`);
    sent.push((await json(request)) as Sent);
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    paths,
    sent,
    spans: () =>
      sent.flatMap(({ resourceSpans }) =>
        resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
      ),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const patience = { timeout: 30_000 };
const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT_ID = '00f067aa0ba902b7';

test('one trace covers a checkout, from the browser to the mail, without secrets or personal data', async () => {
  await using collector = await startCollector();
  const shop = await startTestShop({
    settings: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_SERVICE_NAME: 'kedai-test' },
  });
  const product = await makeProduct(shop.deps);
  const guest = { email: 'traced-buyer@example.com', name: 'Traced Tan' };
  const buyer = createShopper(shop.url, { traceparent: `00-${TRACE_ID}-${PARENT_ID}-01` });
  const cart = [{ product, quantity: 1 }];
  const opened = await buyer.openPayment(cart, guest);
  const secret = opened.body.clientSecret ?? '';
  await buyer.confirmCard(secret);
  const placed = await buyer.placeOrder(cart, secret, { ...guest, password: GUEST_PASSWORD });
  expect(placed.status).toBe(201);
  buyer.setToken(placed.body.data?.token);
  expect(await buyer.readKeys(opened.body.orderId ?? '')).toEqual(product.keys);
  const mail = shop.deps.db.selectFrom('mails').select('id').where('sent_at', 'is not', null);
  await vi.waitFor(async () => expect(await mail.execute()).toHaveLength(1), patience);
  await shop.stop();

  expect([...collector.paths]).toEqual(['POST /v1/traces']);
  const ofTrace = () => collector.spans().filter(({ traceId }) => traceId === TRACE_ID);
  // On a busy machine the last spans arrive after the stop.
  await vi.waitFor(() => expect(ofTrace().map(({ name }) => name)).toContain('job send-mail'), patience);
  const spans = ofTrace();
  const names = new Set(spans.map(({ name }) => name));
  for (const name of [
    'POST /api/digital-orders/guest/create-payment-intent',
    'POST /api/digital-orders/guest',
    'GET /api/digital-orders/:orderId/items',
    'provider createIntent',
    'provider retrieveIntent',
    'provider captureIntent',
    'job send-mail',
    'UPDATE',
  ]) {
    expect(names).toContain(name);
  }
  const ids = new Set([PARENT_ID, ...spans.map(({ spanId }) => spanId)]);
  expect(spans.filter(({ parentSpanId }) => !ids.has(parentSpanId ?? ''))).toEqual([]);
  const parentOf = (name: string) =>
    spans.find(({ spanId }) => spanId === spans.find((one) => one.name === name)?.parentSpanId);
  expect(parentOf('provider captureIntent')?.name).toBe('POST /api/digital-orders/guest');
  expect(parentOf('job send-mail')?.name).toBe('POST /api/digital-orders/guest');
  const statements = spans.flatMap(({ attributes }) => attributes.filter(({ key }) => key === 'db.query.text'));
  expect(statements.some(({ value }) => /update orders set state = 'fulfilled'/i.test(value.stringValue ?? ''))).toBe(
    true,
  );

  const everything = JSON.stringify(collector.sent);
  expect(everything).toContain('kedai-test');
  const secrets = [
    secret,
    intentIdOf(secret),
    placed.body.data?.token ?? '',
    GUEST_PASSWORD,
    CARDS.good,
    ...product.keys,
  ];
  const people = [guest.email, guest.name, '127.0.0.1:', process.execPath];
  for (const text of [...secrets, ...people]) expect(everything).not.toContain(text);
});

test('an unavailable collector loses spans, but delays neither requests nor the stop', async () => {
  const shop = await startTestShop({ settings: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' } });
  expect(await createShopper(shop.url).get('/api/shop')).toMatchObject({ status: 200 });
  await shop.stop();
});

test('a refusal by the collector is logged once per batch, without the spans', async () => {
  await using collector = await startCollector(400);
  const shop = await startTestShop({ settings: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } });
  await createShopper(shop.url).get('/api/shop');
  await shop.stop();
  const lines = () => shop.logLines.filter((line) => line.includes('spans could not be sent'));
  await vi.waitFor(() => expect(lines()).toHaveLength(collector.sent.length), patience);
  expect(collector.sent.length).toBeGreaterThan(0);
  expect(lines().join()).not.toContain('/api/shop');
});

test('the sampler always_off sends no spans', async () => {
  await using collector = await startCollector();
  const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_TRACES_SAMPLER: 'always_off' };
  const shop = await startTestShop({ settings });
  await createShopper(shop.url).get('/api/shop');
  await shop.stop();
  expect(collector.spans()).toEqual([]);
});
