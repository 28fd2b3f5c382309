// A push service after RFC 8030 (the resources, TTL, Urgency, Topic, receipts), RFC 8291 (what it carries) and RFC 8292 (who may
// send). What browser makers' services answer beside that is from their own documents:
// https://firebase.google.com/docs/cloud-messaging (404 for an unknown token, 403 for another sender's, 429 and 503 with Retry-After),
// https://mozilla-services.github.io/autopush-rs/errors.html (401, 404, 410, 413) and
// https://developer.apple.com/documentation/usernotifications/sending-web-push-notifications-in-web-apps-and-browsers (403, 410, 413, 429).
// A browser reads messages over HTTP/2 push there; here they are read as JSON.
import { createPublicKey, verify } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { decryptPush } from './decrypt-push.ts';
import type { PushFault, PushWorld, Subscription } from './push-world.ts';

/** Services need not take more (RFC 8030, section 7.2). */
const MAX_BODY_BYTES = 4096;
const MAX_TTL_S = 28 * 86_400;
const urgencies = ['very-low', 'low', 'normal', 'high'];

type Named = FastifyRequest<{ Params: { id: string } }>;

/** Builds the service. `origin` is how its resources are named. */
export function buildPushService(world: PushWorld, origin: () => string): FastifyInstance {
  const service = Fastify();
  service.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: 1 << 20 }, (_, body, done) =>
    done(null, body),
  );
  const found = ({ params }: Named) => world.find(params.id);

  // RFC 8030, section 4. The browser's side is in the body too, because there is no browser here.
  service.post<{ Querystring: { key?: string } }>('/subscribe', (request, reply) => {
    const { id, keys } = world.subscribe(request.query.key ?? null);
    void reply.code(201).headers({
      Location: `${origin()}/subscription/${id}`,
      Link: `<${origin()}/push/${id}>; rel="urn:ietf:params:push"`,
    });
    return { endpoint: `${origin()}/push/${id}`, keys: { p256dh: keys.p256dh, auth: keys.auth } };
  });

  // Section 6: what was delivered.
  service.get('/subscription/:id', (request: Named, reply) => {
    const subscription = found(request);
    if (!subscription || subscription.isUnsubscribed) return reply.code(404).send();
    return { messages: subscription.messages, taken: subscription.taken };
  });

  // Section 7.3: the browser unsubscribes; what is sent later is answered with 410.
  service.delete('/subscription/:id', (request: Named, reply) => {
    const subscription = found(request);
    if (!subscription) return reply.code(404).send();
    subscription.isUnsubscribed = true;
    return reply.code(204).send();
  });

  /** For tests: what the next messages are answered with. */
  service.post('/subscription/:id/faults', (request: Named, reply) => {
    const subscription = found(request);
    if (!subscription) return reply.code(404).send();
    subscription.faults.push(...(JSON.parse(String(request.body)) as PushFault[]));
    return reply.code(204).send();
  });

  // Section 5.
  service.post('/push/:id', (request: Named, reply) =>
    receive(world, found(request), request, reply, origin()),
  );
  // Section 6.3: a receipt that the sender waits for.
  service.get('/receipt/:id', (_, reply) => reply.code(204).send());
  return service;
}

async function receive(
  world: PushWorld,
  subscription: Subscription | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
  origin: string,
) {
  if (!subscription) return reply.code(404).send();
  if (subscription.isUnsubscribed) return reply.code(410).send();
  const fault = subscription.faults.shift();
  if (fault) return answerFault(fault, reply);
  const { ttl, urgency = 'normal', topic = null, prefer } = request.headers;
  const refusal = refusalOf(subscription, request, origin);
  if (refusal !== null) return reply.code(refusal).send();
  const body = request.body as Buffer;
  let text: string;
  try {
    text = decryptPush(body, subscription.keys);
  } catch {
    // A browser would drop it without a word; a test should hear of it.
    return reply.code(400).send();
  }
  const ttlS = Math.min(Number(ttl), MAX_TTL_S);
  const { id } = world.take(subscription, {
    text,
    ttlS,
    urgency: String(urgency),
    topic: topic === null ? null : String(topic),
  });
  void reply.headers({ Location: `${origin}/message/${id}`, TTL: String(ttlS) });
  if (prefer !== 'respond-async') return reply.code(201).send();
  void reply.header('Link', `<${origin}/receipt/${id}>; rel="urn:ietf:params:push:receipt"`);
  return reply.code(202).send();
}

async function answerFault({ status, retryAfter, afterMs = 0 }: PushFault, reply: FastifyReply) {
  // The client's deadline ends the connection.
  if (afterMs === null)
    return new Promise<never>((_, end) => reply.raw.once('close', () => end(new Error('gone'))));
  await delay(afterMs);
  if (retryAfter) void reply.header('Retry-After', retryAfter);
  return reply.code(status).send();
}

/** Returns the status with which a message is refused; null for none. */
function refusalOf(
  { serverKey }: Subscription,
  { headers, body }: FastifyRequest,
  origin: string,
): number | null {
  const { ttl, urgency, topic } = headers;
  if (ttl === undefined || !/^\d+$/.test(String(ttl))) return 400;
  if (urgency !== undefined && !urgencies.includes(String(urgency))) return 400;
  if (topic !== undefined && !/^[\w-]{1,32}$/.test(String(topic))) return 400;
  if (headers['content-encoding'] !== 'aes128gcm' || !Buffer.isBuffer(body)) return 400;
  if (body.length > MAX_BODY_BYTES) return 413;
  const sender = senderOf(headers.authorization ?? '', origin);
  if (sender === null) return 401;
  return serverKey !== null && sender !== serverKey ? 403 : null;
}

/** Checks a sender's proof (RFC 8292) and returns its public key; null for a proof that does not hold. */
function senderOf(authorization: string, audience: string): string | null {
  const [, token, key] = /^vapid t=([\w.-]+), ?k=([\w-]+)$/.exec(authorization) ?? [];
  const [head, claims, signature] = token?.split('.') ?? [];
  if (!key || !head || !claims || !signature) return null;
  const point = Buffer.from(key, 'base64url');
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString('base64url'));
  const publicKey = createPublicKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x, y } as never });
  const isSigned = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  const { aud, exp, sub } = JSON.parse(Buffer.from(claims, 'base64url').toString());
  const nowS = Date.now() / 1000;
  const isInForce = exp > nowS && exp <= nowS + 86_400;
  return isSigned && aud === audience && isInForce && /^(mailto:|https:)/.test(sub) ? key : null;
}
