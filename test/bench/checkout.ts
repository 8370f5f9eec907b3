import { CARDS, intentIdOf, orderItems, totalOf } from '../shopper.ts';
import { measure, requestJson, type Timings } from './http-load.ts';

interface BenchProduct {
  id: string;
  name: string;
  price: number;
}

/** Measures the whole signed-in checkout in test mode: open the payment, confirm the card, place the order. */
export async function measureCheckouts(
  shopUrl: string,
  { tokens, products, seconds }: { tokens: string[]; products: BenchProduct[]; seconds: number },
): Promise<Timings> {
  const shop = await requestJson<{ data: { payments: { publishableKey: string } } }>(`${shopUrl}/api/shop`, {});
  const { publishableKey } = shop.json.data.payments;
  return measure({ workers: tokens.length, seconds }, async (worker) => {
    const product = products[worker % products.length];
    if (!product) throw new Error('no product to buy');
    await checkout(shopUrl, { token: tokens[worker] ?? '', product, publishableKey });
  });
}

async function checkout(
  shopUrl: string,
  { token, product, publishableKey }: { token: string; product: BenchProduct; publishableKey: string },
): Promise<void> {
  const cart = [{ product, quantity: 1 }];
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const post = <T>(path: string, body: object) =>
    requestJson<T>(`${shopUrl}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });

  const { json: opened } = await post<{ clientSecret: string }>('/api/digital-orders/create-payment-intent', {
    orderItems: orderItems(cart),
    totalPrice: totalOf(cart),
  });
  const intentId = intentIdOf(opened.clientSecret);
  await requestJson(`${shopUrl}/test-mode/v1/payment_intents/${intentId}/confirm`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', authorization: `Bearer ${publishableKey}` },
    body: new URLSearchParams({
      client_secret: opened.clientSecret,
      'payment_method_data[type]': 'card',
      'payment_method_data[card][number]': CARDS.good,
      'payment_method_data[card][exp_month]': '12',
      'payment_method_data[card][exp_year]': '2040',
      'payment_method_data[card][cvc]': '123',
    }).toString(),
  });
  const { json: placed } = await post<{ data: { status: string } }>('/api/digital-orders', {
    orderItems: orderItems(cart),
    paymentMethod: 'card',
    paymentResult: { id: intentId, status: 'requires_capture' },
    totalPrice: totalOf(cart),
  });
  if (placed.data.status !== 'Delivered') throw new Error(`the order is ${placed.data.status}`);
}
