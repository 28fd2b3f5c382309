import { data } from 'react-router';
import { retryStreamSeconds, userStream } from '#app/http/user-stream.server.ts';
import { clientAddressContext } from '#app/middleware/contexts.server.ts';
import { KEYS_HEADER, MAX_KEYS, MISSING_HEADER } from '#app/overlay/protocol.ts';
import { findByKey, type Key, overlayEvents } from '#app/services/overlay/overlay-shows.server.ts';
import type { Route } from './+types/overlay-events.ts';

const keyPattern = /^(overlay|dock):([\w-]{43})$/;

/** The keys in a request's header; null if one cannot be a key. */
function keysOf(request: Request): Key[] | null {
  const named = (request.headers.get(KEYS_HEADER) ?? '').split(',');
  if (named.length > MAX_KEYS) return null;
  const keys = named.flatMap((text) => {
    const [, door, secret] = keyPattern.exec(text) ?? [];
    return door && secret ? [{ door, secret } as Key] : [];
  });
  return keys.length === named.length ? keys : null;
}

/**
 * The one stream of a browser's overlays and docks. Their secrets stand in a header, because an address would be written
 * into logs. A key whose secret was replaced is told so; with none that is valid there is no stream.
 */
export async function loader({ request, context }: Route.LoaderArgs) {
  if (request.method !== 'GET') throw data(null, { status: 405 });
  const keys = keysOf(request);
  const lastId = request.headers.get('Last-Event-ID');
  if (!keys || (lastId !== null && !/^[\da-f-]{36}$/.test(lastId))) throw data(null, { status: 400 });
  const found = await Promise.all(keys.map(findByKey));
  const first = found.find((overlay) => overlay !== null);
  if (!first) throw data(null, { status: 404, headers: { [MISSING_HEADER]: '1' } });
  const stream = userStream(
    request,
    { userId: `overlay ${first.userId}`, address: context.get(clientAddressContext) },
    // Pages whose secret was replaced are told so by what they follow.
    { source: overlayEvents(found, keys, lastId), mayFollow: () => Promise.resolve(true) },
  );
  if (stream) return stream;
  throw data(null, { status: 429, headers: { 'Retry-After': String(retryStreamSeconds) } });
}
