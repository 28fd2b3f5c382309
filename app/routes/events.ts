import { data } from 'react-router';
import type { EventSourceOf, StreamEvent } from '#app/http/event-stream.server.ts';
import { processLog } from '#app/http/logger.server.ts';
import { retryStreamSeconds, userStream } from '#app/http/user-stream.server.ts';
import { clientAddressContext } from '#app/middleware/contexts.server.ts';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { botPresence } from '#app/services/bot-presence.server.ts';
import { countedChannels } from '#app/services/channels/counted-channels.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { listenFor } from '#app/services/live-events.server.ts';
import { isCredentialValid, sessionOf } from '#app/services/sign-in/credential-check.server.ts';
import { isId } from '#domain/kernel/id.ts';
import { PAGE_SIZE } from '#domain/kernel/page.ts';
import { firstIdAt, type LiveEvent, overlapBefore, readEvents } from '#domain/outbox/read-events.ts';
import type { Route } from './+types/events.ts';

/** The change in an event. A page reads the details itself, but for its viewer's time, which grows every minute. */
const streamEventOf = ({ id, kind, subjectId }: LiveEvent): StreamEvent => ({
  id,
  data: { kind, subjectId },
});

/** The age that a page's data may have when its stream opens: it was sent, and its scripts were loaded. */
const pageAgeMs = 30_000;

/** The channels that a page shows, and on which its time grows. */
const channelsIn = (request: Request): string[] =>
  new URL(request.url).searchParams
    .getAll('channel')
    .filter((id) => /^\d{1,20}$/.test(id))
    .slice(0, PAGE_SIZE);

/** A user's events, with those after an id, their time as it is counted on channels, and the bot's going and coming. */
const eventsOf =
  (
    userId: string,
    { lastId, afterId, channelIds }: { lastId: string | null; afterId: string; channelIds: string[] },
  ): EventSourceOf =>
  (onEvent, end) => {
    const sent = new Set([lastId]);
    let missing = true;
    const send = (event: LiveEvent) => {
      if (sent.has(event.id)) return;
      if (missing) sent.add(event.id);
      onEvent(streamEventOf(event));
    };
    const { begun, stop } = listenFor(userId, send);
    const catchUp = async () => {
      await begun;
      for (const event of await readEvents(await database(), { afterId, userId })) send(event);
      missing = false;
    };
    catchUp().catch((error: unknown) => {
      processLog.warn({ err: error }, 'could not read the events that a page missed; ending its stream');
      end();
    });
    const stopCounted = countedChannels.listen(
      {
        userId,
        notify: ({ channelId: subjectId, ...counted }) =>
          onEvent({ data: { kind: 'watch.counted', subjectId, ...counted } }),
        flip: (subjectId) => onEvent({ data: { kind: 'channel.flipped', subjectId } }),
      },
      channelIds,
    );
    const stopPresence = botPresence.listen(() => onEvent({ data: { kind: 'bot.changed', subjectId: '' } }));
    return () => {
      stopPresence();
      stopCounted();
      stop();
    };
  };

/**
 * The signed-in user's live events, until the session ends, with those that a page missed before its stream
 * opened. A reconnecting browser sends the last event's id and gets the events that it missed. A repeated
 * event costs one reload.
 */
export async function loader({ request, context }: Route.LoaderArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  // A HEAD request would open a stream that nobody reads.
  if (request.method !== 'GET') throw data(null, { status: 405 });
  if (new URL(request.url).pathname.endsWith('.data')) throw data(null, { status: 404 });
  const lastId = request.headers.get('Last-Event-ID');
  if (lastId !== null && !isId(lastId)) throw data(null, { status: 400 });
  const afterId = lastId ? overlapBefore(lastId) : firstIdAt((await domainNow()) - pageAgeMs);
  const source = eventsOf(userId, { lastId, afterId, channelIds: channelsIn(request) });
  const session = await sessionOf(request, userId);
  const mayFollow = async () => session !== null && isCredentialValid(session);
  const address = context.get(clientAddressContext);
  const stream = userStream(request, { userId, address }, { source, mayFollow });
  if (stream) return stream;
  throw data(null, { status: 429, headers: { 'Retry-After': String(retryStreamSeconds) } });
}
