export interface Limit {
  /**
   * Uses with the same key of this kind are counted together. An IP address is counted by its network (networkOf). A
   * wide network (wideNetworkOf) is not counted for IPv4, where it equals the address.
   */
  per: 'address' | 'wide network' | 'account' | 'account at address' | 'user' | 'session' | 'device';
  max: number;
  seconds: number;
  /** After `max` tries, one try is allowed after each wait, and the waits grow (countTry). */
  waitGrows?: true;
  /** Tries that count: the failed ones by default. */
  counts?: 'successes' | 'all';
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The limits of a wide network (IPv6 /48) are this many times those of an address. */
export const WIDE_NETWORK_FACTOR = 10;

/**
 * Every rate limit of the shop. The limits of a rule are counted in this order, up to the first exceeded limit, so that
 * one address cannot use up the limit of its wide network.
 */
export const rules = {
  catalogue: [{ per: 'address', max: 300, seconds: MINUTE }],
  // Calls about the order of a cookie or a mailed code, which read it from the database. Finishing an order is not limited.
  'guest-order': [{ per: 'address', max: 600, seconds: MINUTE }],
  admin: [{ per: 'user', max: 300, seconds: MINUTE }],
  // Requests for parts of a file.
  download: [{ per: 'address', max: 300, seconds: MINUTE }],
  // Calls with a picture, before it is read: valid or not, each costs memory and time.
  upload: [{ per: 'address', max: 60, seconds: MINUTE }],
  // Invalid mailed links. A token cannot be guessed; the limit stops floods.
  'failed-link': [{ per: 'address', max: 30, seconds: 15 * MINUTE }],
  // Logins from unknown devices: guesses at many accounts from one address or wide network, at one account from one
  // address, and at one account from many addresses. The address is first, because what a visitor types as an account adds
  // a count. Per account, correct passwords count, too, so that a rejection never tells whether the password was correct.
  'failed-login': [
    { per: 'address', max: 100, seconds: 15 * MINUTE, waitGrows: true },
    { per: 'wide network', max: WIDE_NETWORK_FACTOR * 100, seconds: 15 * MINUTE, waitGrows: true },
    { per: 'account at address', max: 10, seconds: 15 * MINUTE, waitGrows: true, counts: 'all' },
    { per: 'account', max: 100, seconds: 15 * MINUTE, waitGrows: true, counts: 'all' },
  ],
  // Logins from a known device of the account; only these count. Right passwords count, too: each adds a session.
  'device-login': [
    { per: 'device', max: 10, seconds: 15 * MINUTE, waitGrows: true },
    { per: 'device', max: 60, seconds: HOUR, counts: 'successes' },
  ],
  // Passwords from the browser that paid for the account's first order, which is the device. Right ones count, too: each
  // adds a session. A paid order is finished all the same, and a browser may repeat the call that finishes it often.
  'guest-password': [
    { per: 'device', max: 10, seconds: 15 * MINUTE, waitGrows: true },
    { per: 'device', max: 300, seconds: HOUR, counts: 'successes' },
  ],
  // What a right password allows is announced by mail, and the account's address may be a stranger's.
  'current-password': [
    { per: 'session', max: 10, seconds: 15 * MINUTE },
    { per: 'user', max: 30, seconds: HOUR, counts: 'successes' },
  ],
  'account-mail': [
    { per: 'address', max: 20, seconds: HOUR },
    { per: 'wide network', max: WIDE_NETWORK_FACTOR * 20, seconds: HOUR },
  ],
  // The confirmation mail of a paid order, requested again by the browser that paid; the device is the order.
  'verify-link': [
    { per: 'address', max: 20, seconds: HOUR },
    { per: 'device', max: 3, seconds: HOUR },
  ],
  // Not counted by the guest's e-mail: it is not verified, so anybody could use up the limit of another person.
  'guest-payment': [
    { per: 'address', max: 10, seconds: MINUTE },
    { per: 'address', max: 60, seconds: HOUR },
    { per: 'wide network', max: WIDE_NETWORK_FACTOR * 60, seconds: HOUR },
  ],
  'customer-payment': [
    { per: 'user', max: 10, seconds: MINUTE },
    { per: 'user', max: 60, seconds: HOUR },
  ],
  decline: [
    { per: 'address', max: 20, seconds: 10 * MINUTE },
    { per: 'wide network', max: WIDE_NETWORK_FACTOR * 20, seconds: 10 * MINUTE },
  ],
  'customer-decline': [{ per: 'user', max: 20, seconds: 10 * MINUTE }],
  // Each call reads the card from the provider. A buyer can cancel only three orders a day without the shop.
  'cancel-order': [{ per: 'user', max: 20, seconds: HOUR }],
  // Each call adds an entry for each item of the order to the ledger, which is kept for ever.
  reveal: [
    { per: 'user', max: 30, seconds: MINUTE },
    { per: 'user', max: 1_000, seconds: DAY },
  ],
  // These entries: fifty reads of the largest order of a customer.
  'revealed-units': [{ per: 'user', max: 10_000, seconds: DAY }],
  'problem-report': [{ per: 'user', max: 10, seconds: DAY }],
  'report-message': [{ per: 'user', max: 30, seconds: HOUR }],
  // Pictures in both, which are kept for a year and have up to 1.7 MB.
  'report-picture': [{ per: 'user', max: 20, seconds: DAY }],
  // Wrong codes of an administrator who reads a secret or corrects the e-mail of an order.
  'admin-code': [{ per: 'session', max: 5, seconds: 15 * MINUTE }],
  // Exact keys that an administrator searches for: enough for a person, too few to try a list of keys.
  'key-search': [{ per: 'user', max: 20, seconds: 5 * MINUTE }],
  // Rejected manual deliveries and contents of shared products, which tell whether a guess equals the stored content.
  'delivery-guess': [{ per: 'user', max: 20, seconds: 5 * MINUTE }],
  // Items that were compared with the stock and not added: enough for uploads, too few to try all keys of a mask.
  'checked-items': [{ per: 'user', max: 500_000, seconds: DAY }],
  // Words of reasons, notes and replies compared with the stock: a masked key tells which of them are keys.
  'typed-words': [{ per: 'user', max: 50_000, seconds: DAY }],
  // Reviews that a customer writes, changes or deletes.
  review: [{ per: 'user', max: 20, seconds: HOUR }],
  'order-lookup': [
    { per: 'address', max: 10, seconds: 15 * MINUTE },
    { per: 'wide network', max: WIDE_NETWORK_FACTOR * 10, seconds: 15 * MINUTE },
  ],
} as const satisfies Record<string, readonly Limit[]>;

/** Counted in memory, because every request counts. */
export type RequestRule = 'catalogue' | 'guest-order' | 'admin' | 'download' | 'upload' | 'failed-link';
/** Counted in the database. */
export type Rule = Exclude<keyof typeof rules, RequestRule>;
/** The keys of a use: an address as in the request, an account by e-mail, a user or session by id, a device by its hash. */
export type KeysOf<R extends keyof typeof rules> = Record<
  Exclude<(typeof rules)[R][number]['per'], 'account at address' | 'wide network'>,
  string
>;
