import { z } from 'zod';
import { isWithin } from './lists.ts';
import { bool, common, createdRange, listOf, mergeMetadata, metadata, paging, text } from './parameters.ts';
import { invalidRequest } from './refusals.ts';
import { apiVersion, newId, randomLetters } from './state.ts';
import type { StripeEvent, WebhookEndpoint } from './stored.ts';
import type { StripeWorld } from './world.ts';

export const createEndpointShape = z.strictObject({
  ...common,
  api_version: text.optional(),
  connect: bool.optional(),
  description: text.optional(),
  enabled_events: listOf(text),
  metadata,
  url: text,
});

export const updateEndpointShape = z.strictObject({
  ...common,
  description: text.optional(),
  disabled: bool.optional(),
  enabled_events: listOf(text).optional(),
  metadata,
  url: text.optional(),
});

export const listEndpointsShape = z.strictObject(paging);

export const listEventsShape = z.strictObject({
  ...paging,
  created: createdRange,
  delivery_success: bool.optional(),
  type: text.optional(),
  types: listOf(text).optional(),
});

function requireUrl(url: string): string {
  if (!URL.canParse(url) || !/^https?:/.test(url))
    throw invalidRequest('Invalid URL: URL must be http or https.', { code: 'url_invalid', param: 'url' });
  return url;
}

/** The only answer that ever carries the endpoint's secret. */
export function createEndpoint(
  world: StripeWorld,
  given: z.output<typeof createEndpointShape>,
): WebhookEndpoint {
  if (given.api_version && given.api_version !== apiVersion) {
    throw invalidRequest(`The sandbox speaks ${apiVersion} alone.`, { param: 'api_version' });
  }
  const id = newId('webhook_endpoint');
  const secret = `whsec_${randomLetters(32)}`;
  world.setSecret(id, secret);
  const endpoint = world.create('webhook_endpoint', {
    id,
    object: 'webhook_endpoint',
    api_version: given.api_version ?? null,
    application: null,
    created: world.seconds(),
    description: given.description || null,
    enabled_events: given.enabled_events,
    livemode: false,
    metadata: mergeMetadata({}, given.metadata),
    status: 'enabled',
    url: requireUrl(given.url),
  });
  return { ...endpoint, secret };
}

export function updateEndpoint(
  world: StripeWorld,
  id: string,
  given: z.output<typeof updateEndpointShape>,
): WebhookEndpoint {
  const endpoint = world.require('webhook_endpoint', id);
  return world.update('webhook_endpoint', id, {
    ...(given.description !== undefined && { description: given.description || null }),
    ...(given.disabled !== undefined && { status: given.disabled ? 'disabled' : 'enabled' }),
    ...(given.enabled_events && { enabled_events: given.enabled_events }),
    ...(given.url && { url: requireUrl(given.url) }),
    metadata: mergeMetadata(endpoint.metadata, given.metadata),
  });
}

/** Events of the last thirty days, https://docs.stripe.com/api/events. */
export function listEvents(world: StripeWorld, given: z.output<typeof listEventsShape>): StripeEvent[] {
  const { type, types, delivery_success: delivered } = given;
  const matches = (asked: string, is: string) =>
    asked.endsWith('*') ? is.startsWith(asked.slice(0, -1)) : asked === is;
  const oldest = world.seconds() - 30 * 86_400;
  return world
    .all('event')
    .filter(
      (event) =>
        event.created >= oldest &&
        (!type || matches(type, event.type)) &&
        (!types || types.some((one) => matches(one, event.type))) &&
        (delivered === undefined || (event.pending_webhooks === 0) === delivered) &&
        isWithin(event.created, given.created),
    );
}
