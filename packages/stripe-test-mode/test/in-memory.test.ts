import { describe } from 'vitest';
import { testAccess } from './access.suite.ts';
import { testCards } from './cards.suite.ts';
import { testConcurrency } from './concurrency.suite.ts';
import { testIdempotency } from './idempotency.suite.ts';
import { startInMemory } from './provider-under-test.ts';
import { testWebhooks } from './webhooks.suite.ts';

describe('access', () => testAccess(startInMemory));
describe('cards', () => testCards(startInMemory));
describe('concurrency', () => testConcurrency(startInMemory));
describe('idempotency', () => testIdempotency(startInMemory));
describe('webhooks', () => testWebhooks(startInMemory));
