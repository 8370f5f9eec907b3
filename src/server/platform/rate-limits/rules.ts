interface Limit {
  /** Whose uses are counted together. */
  per: 'address' | 'account' | 'account at address' | 'user';
  max: number;
  seconds: number;
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
  // Who guesses at one account is stopped without locking its owner out. The wider limits are for guesses at many
  // accounts from one address, and at one account from many.
  'failed-login': [
    { per: 'account at address', max: 10, seconds: 15 * MINUTE },
    { per: 'address', max: 100, seconds: 15 * MINUTE },
    { per: 'account', max: 100, seconds: 15 * MINUTE },
  ],
  'current-password': [{ per: 'user', max: 10, seconds: 15 * MINUTE }],
  'account-mail': [{ per: 'address', max: 20, seconds: HOUR }],
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
  reveal: [{ per: 'user', max: 30, seconds: MINUTE }],
  // Wrong codes of an administrator who wants to read a secret.
  'admin-reveal': [{ per: 'user', max: 5, seconds: 15 * MINUTE }],
  'order-lookup': [{ per: 'address', max: 10, seconds: 15 * MINUTE }],
} as const satisfies Record<string, readonly Limit[]>;

/** Counted on every request of a kind, and so in memory. */
export type RequestRule = 'catalogue' | 'admin' | 'failed-link';
/** Counted in the database, each use at once. */
export type Rule = Exclude<keyof typeof rules, RequestRule>;
/** Who uses it: an address as the request gives it, an account by e-mail, a user by id. */
export type KeysOf<R extends keyof typeof rules> = Record<
  Exclude<(typeof rules)[R][number]['per'], 'account at address'>,
  string
>;
