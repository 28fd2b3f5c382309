import { type EventSourceOf, eventStream } from './event-stream.server.ts';
import { countListeners } from './live-events.server.ts';

/** More pages than anyone has open. Each costs a connection and its send buffer. */
const MAX_STREAMS = 10;
/** When a refused client should retry. */
export const retryStreamSeconds = 30;

/**
 * A stream of a user's events for as long as `mayFollow` allows. Null if the user has too many open streams, of pages
 * and programs together.
 */
export const userStream = (
  request: Request,
  userId: string,
  { source, mayFollow }: { source: EventSourceOf; mayFollow: () => Promise<boolean> },
): Response | null =>
  countListeners(userId) >= MAX_STREAMS ? null : eventStream(request, source, mayFollow);
