import type { MadeProduct } from './factories.ts';

/** An answer of the shop. The fields of the body depend on the call. */
export interface Answer {
  status: number;
  headers: Headers;
  body: Body;
}

export interface Body {
  [field: string]: unknown;
  success?: boolean;
  code?: string;
  message?: string;
  token?: string;
  clientSecret?: string;
  orderId?: string;
  data?: Body & Body[];
}

export const CARDS = {
  good: '4242424242424242',
  declined: '4000000000000002',
  insufficientFunds: '4000000000009995',
  challenge: '4000002500003155',
  /** Refunds of this card stay pending until a test ends them. */
  slowRefund: '4000000000007726',
} as const;

export interface CartEntry {
  product: Pick<MadeProduct, 'id' | 'name' | 'price' | 'kind'>;
  quantity: number;
}

/** A buyer who is not signed in. The password is GUEST_PASSWORD unless set. */
export interface Guest {
  email: string;
  name?: string;
  password?: string;
}

export const GUEST_PASSWORD = 'a-guest-chooses';

export interface Authorised {
  orderId: string;
  intentId: string;
  place(): Promise<Answer>;
}

export const orderItems = (cart: CartEntry[]) =>
  cart.map(({ product, quantity }) => ({ product: product.id, name: product.name, quantity, price: product.price }));

/** Destination of physical goods in tests, and the cost of shipping to it with the default settings, in cents. */
export const TEST_ADDRESS = {
  street: '1 Jalan Melati',
  city: 'Ipoh',
  state: 'Perak',
  zipCode: '30000',
  country: 'Malaysia',
};
const SHIPPING_CENTS = 590;

const isShipped = (cart: CartEntry[]) => cart.some(({ product }) => product.kind === 'physical');
const callsFor = (cart: CartEntry[]) => (isShipped(cart) ? '/api/orders' : '/api/digital-orders');
const addressFor = (cart: CartEntry[]) => (isShipped(cart) ? { shippingAddress: TEST_ADDRESS } : {});

/** Returns the price of a cart with 6 % tax and shipping, in dollars. */
export function totalOf(cart: CartEntry[]): number {
  const cents = cart.reduce((sum, { product, quantity }) => sum + Math.round(product.price * 100) * quantity, 0);
  return (cents + Math.round(cents * 0.06) + (isShipped(cart) ? SHIPPING_CENTS : 0)) / 100;
}

/**
 * Creates a client that keeps cookies and a token and calls the shop as its pages do. `from` is its IP address for a
 * shop that trusts a proxy, `traceparent` the trace that its calls belong to.
 */
export function createShopper(url: string, { from, traceparent }: { from?: string; traceparent?: string } = {}) {
  const cookies = new Map<string, string>();
  let token: string | undefined;
  let publishableKey: string | undefined;

  async function send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(body === undefined || headers['content-type'] ? {} : { 'content-type': 'application/json' }),
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(from && { 'x-forwarded-for': from }),
        ...(traceparent && { traceparent }),
        ...(cookies.size ? { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') } : {}),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isReady(body) ? body : JSON.stringify(body) }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [name = '', value = ''] = cookie.split(';')[0]?.split('=') ?? [];
      cookies.set(name, value);
    }
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json');
    return {
      status: response.status,
      headers: response.headers,
      body: (text && isJson ? JSON.parse(text) : {}) as Body,
    };
  }

  /** Called once for each shopper, like a page that is not reloaded. */
  async function readPublishableKey(): Promise<string> {
    const { body } = await send('GET', '/api/shop');
    return (body.data as unknown as { payments: { publishableKey: string } }).payments.publishableKey;
  }

  const shopper = {
    cookies,
    send,
    get: (path: string) => send('GET', path),
    post: (path: string, body: unknown = {}) => send('POST', path, body),
    setToken: (value: string | undefined) => {
      token = value;
    },

    async signIn(email: string, password: string, rememberMe = false) {
      const answer = await shopper.post('/api/auth/login', { email, password, rememberMe });
      token = answer.body.token;
      return answer;
    },

    /** `totalPrice` is the total that the page showed, in dollars. */
    openPayment: (
      cart: CartEntry[],
      guest?: Guest,
      options: {
        onRepeat?: 'ask' | 'allow';
        totalPrice?: number;
        guestPhone?: string;
        contactName?: string;
        contactPhone?: string;
      } = {},
    ) =>
      shopper.post(`${callsFor(cart)}${guest ? '/guest' : ''}/create-payment-intent`, {
        orderItems: orderItems(cart),
        ...addressFor(cart),
        ...options,
        ...(guest && { guestEmail: guest.email, guestName: guest.name ?? 'Guest Buyer' }),
      }),

    /** Confirms the card at the test-mode provider, as the card form does. */
    async confirmCard(clientSecret: string, card: string = CARDS.good) {
      publishableKey ??= await readPublishableKey();
      const form = new URLSearchParams({
        client_secret: clientSecret,
        'payment_method_data[type]': 'card',
        'payment_method_data[card][number]': card,
        'payment_method_data[card][exp_month]': '12',
        'payment_method_data[card][exp_year]': '2040',
        'payment_method_data[card][cvc]': '123',
      });
      return send('POST', `/test-mode/v1/payment_intents/${intentIdOf(clientSecret)}/confirm`, form.toString(), {
        'content-type': 'application/x-www-form-urlencoded',
        authorization: `Bearer ${publishableKey}`,
      });
    },

    placeOrder: (cart: CartEntry[], clientSecret: string, guest?: { email: string; password: string; name?: string }) =>
      shopper.post(`${callsFor(cart)}${guest ? '/guest' : ''}`, {
        orderItems: orderItems(cart),
        ...addressFor(cart),
        paymentMethod: 'card',
        paymentResult: { id: intentIdOf(clientSecret), status: 'succeeded' },
        totalPrice: totalOf(cart),
        ...(guest && {
          guestEmail: guest.email,
          guestName: guest.name ?? 'Guest Buyer',
          guestPassword: guest.password,
        }),
      }),

    /** Opens a payment and confirms the card: the money is authorised, and `place` makes the last call. */
    async authorise(cart: CartEntry[], guest?: Guest, card?: string): Promise<Authorised> {
      const opened = await shopper.openPayment(cart, guest);
      const { clientSecret = '', orderId = '' } = opened.body;
      if (clientSecret === '') throw new Error(`No payment was opened: ${JSON.stringify(opened.body)}`);
      await shopper.confirmCard(clientSecret, card);
      const place = () => shopper.placeOrder(cart, clientSecret, guest && { password: GUEST_PASSWORD, ...guest });
      return { orderId, intentId: intentIdOf(clientSecret), place };
    },

    /** Buys a cart; returns the last answer. If that signs a guest in, the shopper is signed in afterwards. */
    async buy(cart: CartEntry[], guest?: Guest, card?: string): Promise<{ orderId: string; placed: Answer }> {
      const { orderId, place } = await shopper.authorise(cart, guest, card);
      const placed = await place();
      if (placed.status !== 201) throw new Error(`The order was not placed: ${JSON.stringify(placed.body)}`);
      token = placed.body.data?.token ?? token;
      return { orderId, placed };
    },

    /** Returns the item contents that an order's page shows; an empty list if the page is refused. */
    async readKeys(orderId: string): Promise<string[]> {
      const { body } = await shopper.get(`/api/digital-orders/${orderId}/items`);
      const lines = (body.data?.['items'] ?? []) as { items: { content: string }[] }[];
      return lines.flatMap(({ items }) => items.map(({ content }) => content));
    },
  };
  return shopper;
}

const isReady = (body: unknown): body is string | Uint8Array<ArrayBuffer> =>
  typeof body === 'string' || body instanceof Uint8Array;

export type Shopper = ReturnType<typeof createShopper>;

export const intentIdOf = (clientSecret: string): string => clientSecret.split('_secret_')[0] ?? '';
