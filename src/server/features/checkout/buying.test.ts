import { describe, expect, it } from 'vitest';
import { openAdminOrders } from '../../../../test/admin-orders.ts';
import { type MadeProduct, makeProduct, makeUser, TEST_PASSWORD } from '../../../../test/factories.ts';
import { mailsTo } from '../../../../test/sent-mails.ts';
import { CARDS, createShopper, orderItems, type Shopper, totalOf } from '../../../../test/shopper.ts';
import { openTestShop } from '../../../../test/test-shop.ts';

const shop = await openTestShop();

const guest = (name: string) => ({ email: `${name}@example.com`, password: 'a-guest-chooses' });
const cartOf = (product: MadeProduct, quantity = 1) => [{ product, quantity }];

async function itemsOf(buyer: Shopper, orderId: string) {
  const answer = await buyer.get(`/api/digital-orders/${orderId}/items`);
  return {
    status: answer.status,
    items: answer.body.data?.items as { items: { content: string; viewed: boolean }[] }[],
  };
}

describe('an order', () => {
  it('lists its lines in cart order for the buyer, with the items, in mails and for administrators', async () => {
    const products: MadeProduct[] = [];
    for (const name of ['Alpha', 'Beta', 'Gamma']) products.push(await makeProduct(shop.deps, { name }));
    // The ids of products grow with time, so this is neither the order of the ids nor its reverse.
    const cart = [1, 2, 0].flatMap((index) => cartOf(products[index] as MadeProduct));
    const buyer = createShopper(shop.url);
    const who = guest('cart-order');
    const bought = await buyer.buy(cart, who);
    const { orderId } = bought;
    const placed = bought.placed.body.data;
    const mine = (await buyer.get('/api/digital-orders/myorders')).body.data?.[0];
    const items = (await buyer.get(`/api/digital-orders/${orderId}/items`)).body.data?.['items'];
    const desk = await openAdminOrders(shop);
    const [mail] = await mailsTo(shop, who.email);
    const namesOf = (lines: unknown) => (lines as { name: string }[]).map(({ name }) => name);

    const names = ['Beta', 'Gamma', 'Alpha'];
    expect(namesOf(placed?.['orderItems'])).toEqual(names);
    expect(namesOf(mine?.['orderItems'])).toEqual(names);
    expect((items as { productName: string }[]).map(({ productName }) => productName)).toEqual(names);
    expect(namesOf((await desk.list('digital')).data[0]?.orderItems)).toEqual(names);
    expect(namesOf((await desk.page(orderId)).lines)).toEqual(names);
    expect(mail?.text.match(/(?<=^1 × )\w+/gm)).toEqual(names);
  });
});

it('an order shows the guest’s contact and, to its owner, the account', async () => {
  const product = await makeProduct(shop.deps, { items: 2 });
  const buyer = createShopper(shop.url);
  const who = { ...guest('named-guest'), name: 'Mei Tan' };
  const { placed } = await buyer.buy(cartOf(product), who);
  const asGuest = { guestName: 'Mei Tan', guestEmail: who.email, contactEmail: who.email };
  const account = { name: 'Mei Tan', email: who.email };
  expect(placed.body.data).toMatchObject({ ...asGuest, user: account });
  await buyer.buy(cartOf(product));
  const asCustomer = { guestName: '', guestEmail: '', contactEmail: who.email };
  expect((await buyer.get('/api/digital-orders/myorders')).body.data).toMatchObject([
    { ...asCustomer, user: account },
    { ...asGuest, user: account },
  ]);
});

describe('a guest', () => {
  it('pays, gets an account and reads the key in it', async () => {
    const product = await makeProduct(shop.deps, { items: 1 });
    const buyer = createShopper(shop.url);
    const who = guest('first-purchase');

    const opened = await buyer.openPayment(cartOf(product), who);
    expect(opened.status).toBe(200);
    expect(opened.body).toMatchObject({ validatedAmounts: { itemsPrice: 10, taxPrice: 0.6, totalPrice: 10.6 } });

    expect((await buyer.confirmCard(opened.body.clientSecret ?? '')).body).toMatchObject({
      status: 'requires_capture',
    });
    const placed = await buyer.placeOrder(cartOf(product), opened.body.clientSecret ?? '', who);
    expect(placed.status).toBe(201);
    expect(placed.body.data).toMatchObject({
      status: 'Delivered',
      isPaid: true,
      access: 'signed-in',
      user: { email: who.email, role: 'customer' },
    });

    buyer.setToken(placed.body.data?.token);
    const first = await itemsOf(buyer, opened.body.orderId ?? '');
    expect(first.items[0]?.items).toMatchObject([{ content: product.keys[0], viewed: false }]);
    const second = await itemsOf(buyer, opened.body.orderId ?? '');
    expect(second.items[0]?.items).toMatchObject([{ viewed: true }]);
    expect(await buyer.signIn(who.email, who.password)).toMatchObject({ status: 200 });
  });

  it('retries a declined card on the same order and the same intent', async () => {
    const product = await makeProduct(shop.deps, { items: 1 });
    const buyer = createShopper(shop.url);
    const who = guest('declined-first');
    const first = await buyer.openPayment(cartOf(product), who);
    const declined = await buyer.confirmCard(first.body.clientSecret ?? '', CARDS.declined);
    expect(declined.status).toBe(402);

    const unpaid = await buyer.placeOrder(cartOf(product), first.body.clientSecret ?? '', who);
    expect(unpaid).toMatchObject({ status: 402, body: { code: 'PAYMENT_NOT_CONFIRMED' } });

    const again = await buyer.openPayment(cartOf(product), who);
    expect(again.body.clientSecret).toBe(first.body.clientSecret);
    await buyer.confirmCard(again.body.clientSecret ?? '');
    expect((await buyer.placeOrder(cartOf(product), again.body.clientSecret ?? '', who)).status).toBe(201);
  });

  it('gets a new order after changing the cart, and the first order is cancelled', async () => {
    const product = await makeProduct(shop.deps, { items: 2 });
    const buyer = createShopper(shop.url);
    const who = guest('changed-cart');
    const first = await buyer.openPayment(cartOf(product, 1), who);
    const second = await buyer.openPayment(cartOf(product, 2), who);
    expect(second.status).toBe(200);
    expect(second.body.orderId).not.toBe(first.body.orderId);
    const order = await shop.deps.db
      .selectFrom('orders')
      .select(['state', 'cancel_reason'])
      .where('id', '=', first.body.orderId ?? '')
      .executeTakeFirstOrThrow();
    expect(order).toEqual({ state: 'cancelled', cancel_reason: 'replaced' });
  });

  it('gets a new order after correcting the name or phone before payment', async () => {
    const product = await makeProduct(shop.deps, { items: 1 });
    const buyer = createShopper(shop.url);
    const open = async (name: string, guestPhone: string) => {
      const { body } = await buyer.openPayment(cartOf(product), { ...guest('corrected'), name }, { guestPhone });
      return body.orderId ?? '';
    };
    const orders = [
      await open('Aminah Yusuf', '011'),
      await open('Aminah Yusof', '011'),
      await open('Aminah Yusof', '012'),
    ];
    expect(new Set(orders).size).toBe(3);
    expect(await open('Aminah Yusof', '012')).toBe(orders[2]);
    const desk = await openAdminOrders(shop);
    expect(await desk.page(orders[2] ?? '')).toMatchObject({ guestName: 'Aminah Yusof', phone: '012' });
  });

  it('gets a message that names the sold-out product, and no item is held', async () => {
    const there = await makeProduct(shop.deps, { items: 3 });
    const gone = await makeProduct(shop.deps, { items: 0 });
    const buyer = createShopper(shop.url);
    const answer = await buyer.openPayment([...cartOf(there), ...cartOf(gone)], guest('sold-out'));
    expect(answer).toMatchObject({
      status: 409,
      body: { code: 'OUT_OF_STOCK', message: `"${gone.name}" is sold out` },
    });
    const few = await buyer.openPayment(cartOf(there, 4), guest('sold-out'));
    expect(few.body.message).toBe(`Only 3 of "${there.name}" available`);
  });

  it('gets PRICE_CHANGED when the total that was shown is no longer the price', async () => {
    const product = await makeProduct(shop.deps);
    const buyer = createShopper(shop.url);
    const cart = cartOf(product);
    const ask = (totalPrice: number) =>
      buyer.post('/api/digital-orders/guest/create-payment-intent', {
        orderItems: orderItems(cart),
        totalPrice,
        guestEmail: 'seen-total@example.com',
        guestName: 'Guest',
      });
    expect(await ask(totalOf(cart) - 0.02)).toMatchObject({
      status: 409,
      body: { code: 'PRICE_CHANGED', message: 'Price verification failed. Please refresh and try again.' },
    });
    expect(await ask(totalOf(cart) + 0.01)).toMatchObject({ status: 200 });
  });

  it('pays the server’s price whatever price the request claims', async () => {
    const product = await makeProduct(shop.deps, { items: 3 });
    for (const price of [0.01, -1, 0]) {
      const opened = await createShopper(shop.url).openPayment(cartOf({ ...product, price }), guest(`cheap${price}`));
      expect(opened.body).toMatchObject({ validatedAmounts: { totalPrice: 10.6 } });
    }
  });

  it('cannot buy an inactive product', async () => {
    const hidden = await makeProduct(shop.deps, { is_active: false });
    const answer = await createShopper(shop.url).openPayment(cartOf(hidden), guest('hidden'));
    expect(answer).toMatchObject({ status: 409, body: { code: 'PRODUCT_UNAVAILABLE' } });
  });

  it('is not told what a hidden product is named since', async () => {
    const { id } = await makeProduct(shop.deps, { name: 'SUPPLIER UNDER INVESTIGATION', is_active: false });
    const orderItems = [{ product: id, name: 'Night Train', quantity: 1 }];
    const { body } = await createShopper(shop.url).post('/api/orders/quote', { orderItems });
    expect(body).toMatchObject({ code: 'PRODUCT_UNAVAILABLE', message: '"Night Train" is no longer available' });
  });

  it('cannot place an order with the payment of another cart', async () => {
    const paid = await makeProduct(shop.deps, { items: 1 });
    const wanted = await makeProduct(shop.deps, { items: 1, price_cents: 1000 });
    const buyer = createShopper(shop.url);
    const who = guest('swapper');
    const opened = await buyer.openPayment(cartOf(paid), who);
    const other = await buyer.placeOrder(cartOf(wanted), opened.body.clientSecret ?? '', who);
    expect(other).toMatchObject({ status: 409, body: { code: 'ORDER_MISMATCH' } });
  });

  it('gets 402 for a payment intent that the shop does not know', async () => {
    const product = await makeProduct(shop.deps);
    const answer = await createShopper(shop.url).placeOrder(
      cartOf(product),
      'pi_of_another_shop_secret_x',
      guest('nobody'),
    );
    expect(answer).toMatchObject({ status: 402, body: { code: 'PAYMENT_NOT_CONFIRMED' } });
  });
});

describe('a signed-in customer', () => {
  it('buys, and finds the order with its items under My Orders', async () => {
    const product = await makeProduct(shop.deps, { items: 2 });
    const user = await makeUser(shop.deps);
    const buyer = createShopper(shop.url);
    await buyer.signIn(user.email, TEST_PASSWORD);
    const opened = await buyer.openPayment(cartOf(product, 2));
    await buyer.confirmCard(opened.body.clientSecret ?? '');
    const placed = await buyer.placeOrder(cartOf(product, 2), opened.body.clientSecret ?? '');
    expect(placed.status).toBe(201);
    const mine = await buyer.get('/api/digital-orders/myorders');
    expect(mine.body.data).toMatchObject([{ _id: opened.body.orderId, totalPrice: 21.2, status: 'Delivered' }]);
    const delivered = await itemsOf(buyer, opened.body.orderId ?? '');
    expect(delivered.items[0]?.items.map((item) => item.content).sort()).toEqual(product.keys);
  });

  it('buys with the name and phone from the checkout, or from the profile if the checkout has none', async () => {
    const product = await makeProduct(shop.deps, { items: 1 });
    const user = await makeUser(shop.deps, { name: 'Siti Profile' });
    const buyer = createShopper(shop.url);
    await buyer.signIn(user.email, TEST_PASSWORD);
    const open = async (contact: { contactName?: string; contactPhone?: string }) => {
      const { body } = await buyer.openPayment(cartOf(product), undefined, contact);
      const orders = shop.deps.db.selectFrom('orders').select(['guest_name', 'guest_phone']);
      return orders.where('id', '=', body.orderId ?? '').executeTakeFirstOrThrow();
    };
    expect(await open({})).toEqual({ guest_name: 'Siti Profile', guest_phone: user.phone });
    const typed = { contactName: 'Siti Typed', contactPhone: '012' };
    expect(await open(typed)).toEqual({ guest_name: 'Siti Typed', guest_phone: '012' });
  });

  it('gets the same 404 for another customer’s order as for a missing one', async () => {
    const product = await makeProduct(shop.deps, { items: 1 });
    const owner = createShopper(shop.url);
    const who = guest('owner');
    const opened = await owner.openPayment(cartOf(product), who);
    await owner.confirmCard(opened.body.clientSecret ?? '');
    await owner.placeOrder(cartOf(product), opened.body.clientSecret ?? '', who);

    const other = createShopper(shop.url);
    await other.signIn((await makeUser(shop.deps)).email, TEST_PASSWORD);
    const theirs = await other.get(`/api/digital-orders/${opened.body.orderId}/items`);
    const missing = await other.get('/api/digital-orders/01900000-0000-7000-8000-000000000000/items');
    expect(theirs.status).toBe(404);
    expect({ ...theirs.body, requestId: '' }).toEqual({ ...missing.body, requestId: '' });
  });

  it('sees no items of an unpaid order', async () => {
    const product = await makeProduct(shop.deps);
    const user = await makeUser(shop.deps);
    const buyer = createShopper(shop.url);
    await buyer.signIn(user.email, TEST_PASSWORD);
    const opened = await buyer.openPayment(cartOf(product));
    const answer = await itemsOf(buyer, opened.body.orderId ?? '');
    expect(answer.items[0]?.items).toEqual([]);
    expect((await buyer.get('/api/digital-orders/myorders')).body.data).toEqual([]);
  });
});
