import type { FastifyInstance } from 'fastify';
import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import { receivePaymentEvent } from './receive-payment-event.ts';

/** The provider's own call, outside the contract: it is signed over the raw bytes, so nothing parses them before. */
export function webhookRoutes(app: FastifyInstance, deps: Deps): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

  app.post('/api/webhooks/stripe', { schema: { hide: true } as object }, async (request) => {
    const signature = request.headers['stripe-signature'];
    if (typeof signature !== 'string' || !Buffer.isBuffer(request.body)) {
      throw new AppError('WEBHOOK_INVALID', 'The event is not signed');
    }
    await receivePaymentEvent(deps, deps.payments.readEvent(request.body, signature));
    return { success: true };
  });
}
