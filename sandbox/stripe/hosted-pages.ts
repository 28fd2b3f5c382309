import type { FastifyInstance } from 'fastify';
import { registerCheckoutPages } from './checkout-pages.ts';
import { registerInvoicePages } from './invoice-pages.ts';
import { registerPortalPages } from './portal-pages.ts';
import type { StripeWorld } from './world.ts';

/** The pages that Stripe hosts for its customers, under the same address as the API. */
export function registerHostedPages(app: FastifyInstance, world: StripeWorld): void {
  registerCheckoutPages(app, world);
  registerInvoicePages(app, world);
  registerPortalPages(app, world);
}
