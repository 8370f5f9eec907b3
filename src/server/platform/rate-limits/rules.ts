export interface Limit {
  /** Whose uses are counted together. */
  per: 'address' | 'account' | 'account at address' | 'user' | 'session' | 'device';
  max: number;
  seconds: number;
  /** Beyond `max` a try is let through after each wait, and waits grow (createGrowingWait). */
  waitGrows?: true;
  /** A try counts even if it succeeds. */
  successCounts?: true;
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;

/**
 * Every limit of the shop. They are counted in this order up to the first that is passed, so that an address that is
 * refused cannot use up what belongs to somebody's account.
 */
export const rules = {
  catalogue: [{ per: 'address', max: 300, seconds: MINUTE }],
  admin: [{ per: 'user', max: 300, seconds: MINUTE }],
  // Mailed links that open nothing. They cannot be guessed: the limit only stops whoever floods the shop with them.
  'failed-link': [{ per: 'address', max: 30, seconds: 15 * MINUTE }],
  // Logins of strangers: guesses at one account from one address, at many accounts from one address, and at one account
  // from many. For an account right passwords count as well, so that a refusal never tells whether a password was right.
  'failed-login': [
    { per: 'account at address', max: 10, seconds: 15 * MINUTE, waitGrows: true, successCounts: true },
    { per: 'address', max: 100, seconds: 15 * MINUTE, waitGrows: true },
    { per: 'account', max: 100, seconds: 15 * MINUTE, waitGrows: true, successCounts: true },
  ],
  // Logins on a device that has signed in to the account before, or in the browser that paid for the order that made it.
  // Nobody else can use these up.
  'device-login': [{ per: 'device', max: 10, seconds: 15 * MINUTE, waitGrows: true }],
  'current-password': [{ per: 'session', max: 10, seconds: 15 * MINUTE }],
  'account-mail': [{ per: 'address', max: 20, seconds: HOUR }],
  // The link to an order that waits for its e-mail, at the wish of the browser that paid: counted by its order.
  'verify-link': [
    { per: 'address', max: 20, seconds: HOUR },
    { per: 'device', max: 3, seconds: HOUR },
  ],
  // A guest's e-mail proves nothing, and to count by it would let anybody use up another's.
  'guest-payment': [
    { per: 'address', max: 10, seconds: MINUTE },
    { per: 'address', max: 60, seconds: HOUR },
  ],
  'customer-payment': [
    { per: 'user', max: 10, seconds: MINUTE },
    { per: 'user', max: 60, seconds: HOUR },
  ],
  decline: [{ per: 'address', max: 20, seconds: 10 * MINUTE }],
  'customer-decline': [{ per: 'user', max: 20, seconds: 10 * MINUTE }],
  reveal: [{ per: 'user', max: 30, seconds: MINUTE }],
  // Wrong codes of an administrator who wants to read a secret.
  'admin-reveal': [{ per: 'session', max: 5, seconds: 15 * MINUTE }],
  'order-lookup': [{ per: 'address', max: 10, seconds: 15 * MINUTE }],
} as const satisfies Record<string, readonly Limit[]>;

/** Counted on every request of a kind, and so in memory. */
export type RequestRule = 'catalogue' | 'admin' | 'failed-link';
/** Counted in the database, each use at once. */
export type Rule = Exclude<keyof typeof rules, RequestRule>;
/** Who uses it: an address as the request gives it, an account by e-mail, a user or session by id, a device by its hash. */
export type KeysOf<R extends keyof typeof rules> = Record<
  Exclude<(typeof rules)[R][number]['per'], 'account at address'>,
  string
>;
