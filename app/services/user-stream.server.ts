import { type EventSourceOf, eventStream } from './event-stream.server.ts';
import { countListeners } from './live-events.server.ts';

/** More pages than anyone has open. Each costs a connection and its send buffer. */
const MAX_STREAMS = 10;
/** When a refused client should try again. */
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
