import type { Claim, Intent, Keys, Page, Refund, Store, StoredEvent, StoredResponse } from './store.ts';

/** The content of a memory store. Several stores share it if they are made with one state. */
export interface MemoryState {
  keys: Keys | undefined;
  intents: Map<string, Intent>;
  refunds: Map<string, Refund>;
  claims: Map<string, Claim>;
  responses: Map<string, StoredResponse>;
  events: Map<string, StoredEvent>;
}

export const emptyState = (): MemoryState => ({
  keys: undefined,
  intents: new Map(),
  refunds: new Map(),
  claims: new Map(),
  responses: new Map(),
  events: new Map(),
});

/** Keeps everything in this process, until the process ends. No method waits for anything, so each is atomic. */
export function createMemoryStore(state: MemoryState = emptyState()): Store {
  const { intents, refunds, claims, responses, events } = state;
  const isNew = (response: StoredResponse | undefined) => !response || !responses.has(response.key);
  const keep = (response: StoredResponse | undefined) => {
    if (response) responses.set(response.key, response);
  };
  const announce = (written: StoredEvent[]) => {
    for (const event of written) events.set(event.id, event);
  };
  const withCharge = <T extends { intentId: string }>(row: T) => {
    const { chargeId = null, currency = '', capturedCents = 0 } = intents.get(row.intentId) ?? {};
    return { ...row, chargeId, currency, capturedCents };
  };

  return {
    findKeys: async () => state.keys,
    insertKeys: async (keys) => {
      state.keys ??= keys;
    },

    findIntent: async (id, key = '') => {
      const intent = intents.get(id);
      return intent && { intent, response: responses.get(key) };
    },
    listIntents: async (page) => pageOf([...intents.values()], page),
    insertIntent: async ({ intent, response }) => {
      if (!isNew(response)) return false;
      intents.set(intent.id, intent);
      keep(response);
      return true;
    },
    saveIntent: async ({ intent, events: written, refund, response }) => {
      if (intents.get(intent.id)?.version !== intent.version || !isNew(response)) return false;
      intents.set(intent.id, { ...intent, version: intent.version + 1 });
      announce(written);
      if (refund) refunds.set(refund.id, refund);
      keep(response);
      return true;
    },

    findRefund: async (id) => {
      const refund = refunds.get(id);
      return refund && withCharge(refund);
    },
    listRefunds: async ({ intentId, ...page }) => {
      const asked = [...refunds.values()].filter((refund) => intentId === undefined || refund.intentId === intentId);
      return pageOf(asked, page).map(withCharge);
    },

    insertClaim: async ({ claim, events: written }) => {
      const { intentId, kind } = claim;
      if ([...claims.values()].some((other) => other.intentId === intentId && other.kind === kind)) return false;
      claims.set(claim.id, claim);
      announce(written);
      return true;
    },
    findClaim: async (id) => {
      const claim = claims.get(id);
      return claim && withCharge(claim);
    },
    listClaims: async ({ kind, intentId, ...page }) => {
      const asked = [...claims.values()].filter(
        (claim) => claim.kind === kind && (intentId === undefined || claim.intentId === intentId),
      );
      return pageOf(asked, page).map(withCharge);
    },
    saveDispute: async ({ dispute, from, events: written }) => {
      const claim = claims.get(dispute.id);
      if (claim?.status !== from) return false;
      claims.set(claim.id, { ...claim, ...dispute });
      announce(written);
      return true;
    },

    findResponse: async (key) => responses.get(key),
    insertResponse: async (response) => {
      if (!isNew(response)) return false;
      keep(response);
      return true;
    },

    takeDueEvents: async ({ now, until, limit }) => {
      const due = [...events.values()].filter(({ nextAttemptAt }) => nextAttemptAt <= now).slice(0, limit);
      for (const event of due) events.set(event.id, { ...event, nextAttemptAt: until });
      return due;
    },
    postponeEvent: async (postponed) => {
      const event = events.get(postponed.id);
      if (event) events.set(event.id, { ...event, ...postponed });
    },
    deleteEvents: async (ids) => {
      for (const id of ids) events.delete(id);
    },
  };
}

/** Returns a page, newest first. Ids of one kind grow with time. */
function pageOf<Row extends { id: string; createdAt: Date }>(rows: Row[], page: Page): Row[] {
  const { createdSince, after, limit } = page;
  return rows
    .sort((a, b) => (a.id < b.id ? 1 : -1))
    .filter(({ createdAt }) => createdSince === undefined || createdAt >= createdSince)
    .filter(({ id }) => after === undefined || id < after)
    .slice(0, limit);
}
