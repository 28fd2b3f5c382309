import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { TwitchContext } from './context.ts';
import { QueryValues, Refusal } from './http-answers.ts';
import { rateLimit } from './rate-limit.ts';
import type { TwitchWorld } from './world.ts';
import type { IssuedToken } from './world-state.ts';

export type UserToken = IssuedToken & { userId: string };

export interface HelixCall<Token extends IssuedToken = IssuedToken> {
  world: TwitchWorld;
  query: QueryValues;
  token: Token;
  body: Record<string, unknown>;
  reply: FastifyReply;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Routes behind Twitch's checks, in this order: token, client id, rate limit, kind of token, scopes. */
export interface HelixRoutes {
  any(method: Method, path: string, answer: (call: HelixCall) => unknown): void;
  app(method: Method, path: string, answer: (call: HelixCall) => unknown): void;
  /** One of the scopes is enough; an empty list requires only a user token. */
  user(
    method: Method,
    path: string,
    scopes: readonly string[],
    answer: (call: HelixCall<UserToken>) => unknown,
  ): void;
}

export function helixRoutes(
  app: FastifyInstance,
  { world, clientId, pointsPerSecond }: TwitchContext,
): HelixRoutes {
  const limit = rateLimit(pointsPerSecond);

  const admit = (request: FastifyRequest, reply: FastifyReply): HelixCall => {
    const given = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (!given) throw new Refusal(401, 'OAuth token is missing');
    const asClient = request.headers['client-id'];
    if (!asClient) throw new Refusal(401, 'Client ID is missing');
    const token = world.tokens.findValid(given);
    if (!token) throw new Refusal(401, 'Invalid OAuth token');
    if (asClient !== token.clientId || asClient !== clientId)
      throw new Refusal(401, 'Client ID and OAuth token do not match');
    limit.spend(token.userId ?? 'application', reply);
    const body = typeof request.body === 'object' && request.body !== null ? request.body : {};
    return {
      world,
      query: new QueryValues(request),
      token,
      body: body as Record<string, unknown>,
      reply,
    };
  };

  return {
    any(method, url, answer) {
      app.route({ method, url, handler: async (request, reply) => answer(admit(request, reply)) });
    },
    app(method, url, answer) {
      const handler = async (request: FastifyRequest, reply: FastifyReply) => {
        const call = admit(request, reply);
        if (call.token.userId !== null) throw new Refusal(401, 'An app access token is required');
        return answer(call);
      };
      app.route({ method, url, handler });
    },
    user(method, url, scopes, answer) {
      const handler = async (request: FastifyRequest, reply: FastifyReply) => {
        const call = admit(request, reply);
        const { userId } = call.token;
        if (userId === null) throw new Refusal(401, 'Missing User OAUTH Token');
        if (scopes.length > 0 && !hasScope(call.token, scopes))
          throw new Refusal(401, `Missing scope: ${scopes.join(' or ')}`);
        return answer({ ...call, token: { ...call.token, userId } });
      };
      app.route({ method, url, handler });
    },
  };
}

export function hasScope(token: IssuedToken, scopes: readonly string[]): boolean {
  return scopes.some((scope) => token.scopes.includes(scope));
}

/** Requires that the parameter names the token's user. */
export function requireOwnId(call: HelixCall<UserToken>, parameter: string): string {
  const id = call.query.require(parameter);
  if (id !== call.token.userId)
    throw new Refusal(
      401,
      `The ID in ${parameter} must match the user ID found in the request's OAuth token.`,
    );
  return id;
}

export function isBroadcasterOrModerator(world: TwitchWorld, broadcasterId: string, userId: string): boolean {
  return broadcasterId === userId || world.isModerator(broadcasterId, userId);
}
