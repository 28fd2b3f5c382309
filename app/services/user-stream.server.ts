import { type EventSourceOf, eventStream } from './event-stream.server.ts';
import { countListeners } from './live-events.server.ts';

/** More than anyone has pages open; each costs a connection and what waits to be sent on it. */
const MAX_STREAMS = 10;
/** How soon who was refused a stream may find one of the others closed. */
export const retryStreamSeconds = 30;

/**
 * A stream of what happens to a user, for as long as `mayFollow` says so. Null when so many of theirs are open, pages
 * and programs together, that there is none to be had.
 */
export const userStream = (
  request: Request,
  userId: string,
  { source, mayFollow }: { source: EventSourceOf; mayFollow: () => Promise<boolean> },
): Response | null =>
  countListeners(userId) >= MAX_STREAMS ? null : eventStream(request, source, mayFollow);
