import type { FastifyInstance } from 'fastify';
import type { TwitchContext } from './context.ts';
import { registerHelixChannels } from './helix-channels.ts';
import { registerHelixChat } from './helix-chat.ts';
import { registerHelixPeople } from './helix-people.ts';
import { registerHelixRewards } from './helix-rewards.ts';
import { type HelixRoutes, helixRoutes } from './helix-route.ts';

/** The Helix endpoints under /mock. Returns the routes, so that EventSub shares their checks and rate limit. */
export function registerHelix(app: FastifyInstance, context: TwitchContext): HelixRoutes {
  const routes = helixRoutes(app, context);
  registerHelixPeople(routes);
  registerHelixChannels(routes);
  registerHelixRewards(routes);
  registerHelixChat(routes, context.chatGate);
  return routes;
}
