interface Limit {
  /** Whose uses are counted together. */
  per: 'address' | 'account' | 'buyer' | 'user';
  max: number;
  seconds: number;
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;

/**
 * Every limit of the shop. They are counted in this order up to the first that is passed, so that an address that is
 * refused cannot use up what belongs to somebody's account or e-mail.
 */
export const rules = {
  catalogue: [{ per: 'address', max: 300, seconds: MINUTE }],
  admin: [{ per: 'user', max: 300, seconds: MINUTE }],
  'failed-login': [
    { per: 'address', max: 10, seconds: 15 * MINUTE },
    { per: 'account', max: 10, seconds: 15 * MINUTE },
  ],
  'current-password': [{ per: 'user', max: 10, seconds: 15 * MINUTE }],
  'account-mail': [{ per: 'address', max: 20, seconds: HOUR }],
  'payment-intent': [
    { per: 'address', max: 10, seconds: MINUTE },
    { per: 'address', max: 60, seconds: HOUR },
    { per: 'buyer', max: 10, seconds: MINUTE },
    { per: 'buyer', max: 60, seconds: HOUR },
  ],
  decline: [{ per: 'address', max: 20, seconds: 10 * MINUTE }],
  reveal: [{ per: 'user', max: 30, seconds: MINUTE }],
  'order-lookup': [{ per: 'address', max: 10, seconds: 15 * MINUTE }],
} as const satisfies Record<string, readonly Limit[]>;

/** Counted on every request of an endpoint, and so in memory. */
export type RequestRule = 'catalogue' | 'admin';
/** Counted in the database, each use at once. */
export type Rule = Exclude<keyof typeof rules, RequestRule>;
/** Who uses it: an address as the request gives it, an account or a guest by e-mail, a user by id. */
export type KeysOf<R extends keyof typeof rules> = Record<(typeof rules)[R][number]['per'], string>;
