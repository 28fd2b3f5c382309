import { createEndpoint, updateEndpoint } from './webhook-endpoints.ts';
import type { StripeWorld } from './world.ts';

/** The path at which the product takes Stripe's webhooks. */
const webhookPath = '/webhooks/stripe';

function productEndpoint(world: StripeWorld) {
  return world.all('webhook_endpoint').find(({ url }) => new URL(url).pathname === webhookPath) ?? null;
}

/** An endpoint for everything at the product's address, as an operator's setup leaves it. */
export function pointAtProduct(world: StripeWorld, productUrl: string): void {
  const url = new URL(webhookPath, productUrl).href;
  world.transaction(() => {
    const endpoint = productEndpoint(world);
    if (endpoint) updateEndpoint(world, endpoint.id, { url });
    else createEndpoint(world, { url, enabled_events: ['*'] });
  });
}

/** The secret that the product checks signatures with. */
export function productSecret(world: StripeWorld): string {
  return world.state.secrets[productEndpoint(world)?.id ?? ''] ?? '';
}
