import helmet from '@fastify/helmet';
import type { FastifyInstance } from 'fastify';

// What Stripe's own documentation asks of a page that embeds its card field.
const STRIPE_SCRIPTS = 'https://js.stripe.com';
const STRIPE_API = 'https://api.stripe.com';
const STRIPE_FRAMES = ['https://js.stripe.com', 'https://hooks.stripe.com'];

/** Helmet's headers with a content policy that allows our own files alone, and Stripe's where it takes the cards. */
export async function securityHeaders(
  app: FastifyInstance,
  { production, stripe }: { production: boolean; stripe: boolean },
): Promise<void> {
  await app.register(helmet, {
    hsts: production,
    referrerPolicy: { policy: 'strict-origin-when-cross-origin' },
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'", ...(stripe ? [STRIPE_SCRIPTS] : [])],
        styleSrc: ["'self'"],
        imgSrc: ["'self'", 'data:', 'https:'],
        fontSrc: ["'self'"],
        connectSrc: ["'self'", ...(stripe ? [STRIPE_API] : [])],
        frameSrc: stripe ? STRIPE_FRAMES : ["'none'"],
        manifestSrc: ["'self'"],
        formAction: ["'self'"],
        baseUri: ["'none'"],
        frameAncestors: ["'none'"],
        ...(production && { upgradeInsecureRequests: [] }),
      },
    },
  });
}
