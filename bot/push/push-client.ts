import {
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import webPush from 'web-push';
import type { PushCare } from '#domain/push/push-events.ts';
import type { PushKeys } from '#domain/push/push-keys.ts';
import type { PushSubscription } from '#domain/push/read-subscription.ts';
import type { PushResult } from '#domain/push/report-push.ts';
import { boundedCache } from '#platform/bounded-cache.ts';
import { InnerAddress, isInnerHost, publicLookup } from '#platform/public-address.ts';

/** A push service that takes longer than this has not answered. */
const DEADLINE_MS = 10_000;
/** Push services need not take more than 4096 bytes (RFC 8030, section 7.2), 103 of which the encryption needs. */
export const MAX_PAYLOAD_BYTES = 3993;
/** No push service answers with more; none of it is read. */
const MAX_ANSWER_BYTES = 64 * 1024;
/** Connections to one push service, and so notices that are on their way there at once. */
export const PER_HOST = 10;
/** A signed proof of who we are is used again for this long, and holds for longer (RFC 8292, section 2). */
const [PROOF_USED_MS, PROOF_HOLDS_S] = [3_600_000, 43_200];

/** A notice on its way to one device. */
export interface PushToSend {
  subscription: PushSubscription;
  payload: string;
  /** Seconds for which the push service keeps it for a device that is away. */
  ttlS: number;
  urgency: PushCare['urgency'];
  topic: string;
  /** Asked when its connection is there, which may be long after the call: whether it may still be sent. */
  mayBegin: () => boolean;
}

export interface PushClient {
  /** Never throws: whatever happens is a result. `tooLate`: its connection was there, and it might not begin any more. */
  send(push: PushToSend, nowMs: number): Promise<PushResult | { kind: 'tooLate' }>;
  close(): void;
}

interface Settings {
  keys: PushKeys;
  /** The https or mailto address of whoever answers for the notices. */
  subject: string;
  /** The origin of a push service besides those on the internet, as the sandbox's; null for none. */
  ownService: URL | null;
  deadlineMs?: number;
}

/** Makes a client with connections of its own. */
export function createPushClient({
  keys,
  subject,
  ownService,
  deadlineMs = DEADLINE_MS,
}: Settings): PushClient {
  const pool = {
    keepAlive: true,
    maxSockets: PER_HOST,
    maxTotalSockets: 200,
    maxFreeSockets: PER_HOST,
    timeout: 30_000,
  };
  // A connection that is kept goes to the address that was checked when it was made.
  const agents = {
    public: new HttpsAgent({ ...pool, lookup: publicLookup }),
    ownHttps: new HttpsAgent(pool),
    ownHttp: new HttpAgent(pool),
  };
  const proofs = boundedCache<string, { text: string; untilMs: number }>('push proofs', 100);

  /** Reading the time of the machine, because push services compare it with theirs. */
  function proofFor(origin: string): string {
    const nowMs = Date.now();
    const known = proofs.get(origin);
    if (known && nowMs < known.untilMs) return known.text;
    const { publicKey, privateKey } = keys;
    const expiresAtS = Math.floor(nowMs / 1000) + PROOF_HOLDS_S;
    const { Authorization: text } = webPush.getVapidHeaders(
      origin,
      subject,
      publicKey,
      privateKey,
      'aes128gcm',
      expiresAtS,
    );
    proofs.set(origin, { text, untilMs: nowMs + PROOF_USED_MS });
    return text;
  }

  const send: PushClient['send'] = async (push, nowMs) => {
    const url = new URL(push.subscription.endpoint);
    const isOwn = url.origin === ownService?.origin;
    if (!isOwn && !mayBeCalled(url)) return notAllowed(url);
    if (Buffer.byteLength(push.payload) > MAX_PAYLOAD_BYTES)
      return { kind: 'refused', error: 'the payload is too long' };
    try {
      const encrypted = encrypt(push, proofFor(url.origin));
      if (!encrypted) return { kind: 'refused', error: 'nothing can be encrypted for its keys' };
      const { headers, body } = encrypted;
      const agent = isOwn ? (url.protocol === 'https:' ? agents.ownHttps : agents.ownHttp) : agents.public;
      const options = { method: 'POST', headers, agent, signal: AbortSignal.timeout(deadlineMs) };
      const sent = { body, mayBegin: push.mayBegin };
      return resultOf(await post(url, options as RequestOptions, sent), nowMs);
    } catch (error) {
      if (error instanceof TooLate) return { kind: 'tooLate' };
      // A name server that answers oddly once must not end a device.
      if (error instanceof InnerAddress) return { kind: 'later', error: error.message, isOfOne: true };
      return { kind: 'later', error: wordsOf(error) };
    }
  };
  return {
    send,
    close() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

/** Encrypts and addresses a notice; null if its device's keys cannot be used. */
function encrypt({ subscription, payload, ttlS, urgency, topic }: PushToSend, Authorization: string) {
  const { endpoint, p256dh, auth } = subscription;
  try {
    return webPush.generateRequestDetails({ endpoint, keys: { p256dh, auth } }, payload, {
      TTL: ttlS,
      urgency,
      topic,
      contentEncoding: 'aes128gcm',
      headers: { Authorization },
    });
  } catch {
    return null;
  }
}

/** Thrown in place of an answer: the notice may be sent by another process. */
class TooLate extends Error {}

/** Sends a request once it has a connection and may begin, and returns the head of its answer. Redirects are not followed. */
function post(
  url: URL,
  options: RequestOptions,
  { body, mayBegin }: { body: unknown; mayBegin: () => boolean },
): Promise<IncomingMessage> {
  const [request, connected] =
    url.protocol === 'https:' ? [httpsRequest, 'secureConnect'] : [httpRequest, 'connect'];
  return new Promise((resolve, reject) => {
    const sent = request(url, options, (answer) => {
      let bytes = 0;
      // The deadline also ends a body that does not.
      answer
        .on('error', () => {})
        .on('data', ({ length }: Buffer) => {
          bytes += length;
          if (bytes > MAX_ANSWER_BYTES) answer.destroy();
        });
      resolve(answer);
    });
    const begin = () => void (mayBegin() ? sent.end(body) : sent.destroy(new TooLate()));
    sent.on('error', reject).on('socket', (socket) => {
      if (socket.connecting) socket.once(connected, begin);
      else begin();
    });
  });
}

/** The part of an endpoint that needs no look-up: only https at its own port is called, at a name or a public address. */
const mayBeCalled = ({ protocol, port, hostname }: URL): boolean =>
  protocol === 'https:' && port === '' && !isInnerHost(hostname);

const notAllowed = ({ hostname }: URL): PushResult => ({
  kind: 'ended',
  ending: 'notAllowed',
  error: `${hostname} may not be called`,
});

/** Endpoints are secrets, and Node's errors name only their host. */
function wordsOf(error: unknown): string {
  const { name, code, message } = error as NodeJS.ErrnoException;
  if (name === 'AbortError' || name === 'TimeoutError') return 'no answer in time';
  return code ?? message.slice(0, 100);
}

/** Reads what a push service answered: RFC 8030, sections 5 and 8, and RFC 8292, section 4.2. */
function resultOf({ statusCode = 0, headers }: IncomingMessage, nowMs: number): PushResult {
  const error = `answered ${statusCode}`;
  if (statusCode >= 200 && statusCode < 300) return { kind: 'sent' };
  if (statusCode === 404 || statusCode === 410) return { kind: 'ended', ending: 'gone', error };
  // A clock that is wrong brings about 401 and 403 too, so no endpoint is forgotten for them; but neither may one device with
  // another's key keep all others waiting.
  const isPassing = [401, 403, 408, 425, 429].includes(statusCode) || statusCode >= 500;
  if (!isPassing) return { kind: 'refused', error };
  if (statusCode === 401 || statusCode === 403) return { kind: 'later', error, isOfOne: true };
  const afterMs = readRetryAfter(headers['retry-after'], nowMs);
  return {
    kind: 'later',
    error,
    ...(statusCode === 429 && { isOfAll: true }),
    ...(afterMs !== null && { afterMs }),
  };
}

/** Reads `Retry-After`: seconds, or a date of the machine's clock. */
export function readRetryAfter(text: string | undefined, nowMs: number): number | null {
  if (text === undefined) return null;
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - nowMs);
}
