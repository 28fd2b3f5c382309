import { widerNetworkOf } from '#app/http/client-address.ts';
import { type EventSourceOf, eventStream } from '#app/http/event-stream.server.ts';
import { StreamShares } from '#app/http/stream-shares.server.ts';
import { database } from '#app/services/database.server.ts';
import { keyOf, NETWORKS_TOGETHER } from '#app/services/limits/rate-limits.server.ts';
import { eventStreams } from '#domain/budget/budgets.ts';

/** Seconds after which a refused client should retry. */
export const retryStreamSeconds = 30;

const shares = new StreamShares(database, { keyOf: (who) => keyOf('stream', who) });

/** Tells the other processes that the streams of this one have ended. */
export const stopSharing = (): Promise<void> => shares.stop();

/**
 * Opens a stream of a user's events for as long as `mayFollow` allows. Null if the account, or everybody at
 * its network address, has as many open as they may, of pages and programs together and in all processes. Open streams
 * go on.
 */
export function userStream(
  request: Request,
  { userId, address }: { userId: string; address: string },
  { source, mayFollow }: { source: EventSourceOf; mayFollow: () => Promise<boolean> },
): Response | null {
  const wider = widerNetworkOf(address);
  const limits = new Map([
    [userId, eventStreams.ofAccount],
    [address, eventStreams.ofAddress],
    ...(wider === null ? [] : [[wider, eventStreams.ofAddress * NETWORKS_TOGETHER] as const]),
  ]);
  if (!shares.mayOpen(limits)) return null;
  const counted: EventSourceOf = (onEvent, end) => {
    const leave = shares.add(limits);
    const stop = source(onEvent, end);
    return () => {
      leave();
      stop();
    };
  };
  return eventStream(request, counted, mayFollow);
}
