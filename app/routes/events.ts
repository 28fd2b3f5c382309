import { data } from 'react-router';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { isCredentialValid, sessionOf } from '#app/services/credential-check.server.ts';
import { database } from '#app/services/database.server.ts';
import type { EventSourceOf, StreamEvent } from '#app/services/event-stream.server.ts';
import { listenFor } from '#app/services/live-events.server.ts';
import { retryStreamSeconds, userStream } from '#app/services/user-stream.server.ts';
import { isId } from '#domain/id.ts';
import { type LiveEvent, overlapBefore, readEvents } from '#domain/outbox/read-events.ts';
import type { Route } from './+types/events.ts';

/** What changed. A page reads the details itself. */
const streamEventOf = ({ id, kind, subjectId }: LiveEvent): StreamEvent => ({
  id,
  data: { kind, subjectId },
});

/**
 * The signed-in user's live events, until the session ends. A reconnecting browser sends the last event's id and gets
 * what it missed; an event may be repeated, which costs one reload.
 */
export async function loader({ request, context }: Route.LoaderArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  // A HEAD request would open a stream that nobody reads.
  if (request.method !== 'GET') throw data(null, { status: 405 });
  if (new URL(request.url).pathname.endsWith('.data')) throw data(null, { status: 404 });
  const lastId = request.headers.get('Last-Event-ID');
  if (lastId !== null && !isId(lastId)) throw data(null, { status: 400 });
  const missed = lastId ? await readEvents(await database(), { afterId: overlapBefore(lastId), userId }) : [];
  const source: EventSourceOf = (onEvent) => {
    const seen = new Set([lastId, ...missed.map(({ id }) => id)]);
    const stop = listenFor(userId, (event) => {
      if (!seen.has(event.id)) onEvent(streamEventOf(event));
    });
    for (const event of missed) if (event.id !== lastId) onEvent(streamEventOf(event));
    return stop;
  };
  const session = await sessionOf(request, userId);
  const mayFollow = async () => session !== null && isCredentialValid(session);
  const stream = userStream(request, userId, { source, mayFollow });
  if (stream) return stream;
  throw data(null, { status: 429, headers: { 'Retry-After': String(retryStreamSeconds) } });
}
