import { widerNetworkOf } from '#app/http/client-address.ts';
import { type EventSourceOf, eventStream } from '#app/http/event-stream.server.ts';
import { NETWORKS_TOGETHER } from '#app/services/limits/rate-limits.server.ts';
import { eventStreams } from '#domain/budget/budgets.ts';

/** Seconds after which a refused client should retry. */
export const retryStreamSeconds = 30;

/** Number of streams that each account and each network address has open in this process. */
const open = new Map<string, number>();

function count(sharers: readonly string[], change: 1 | -1): void {
  for (const who of sharers) {
    const streams = (open.get(who) ?? 0) + change;
    if (streams > 0) open.set(who, streams);
    else open.delete(who);
  }
}

/**
 * Opens a stream of a user's events for as long as `mayFollow` allows. Null if the account, or everybody at
 * its network address, has as many open as they may, of pages and programs together. Open streams go on.
 */
export function userStream(
  request: Request,
  { userId, address }: { userId: string; address: string },
  { source, mayFollow }: { source: EventSourceOf; mayFollow: () => Promise<boolean> },
): Response | null {
  const wider = widerNetworkOf(address);
  const shares = new Map([
    [userId, eventStreams.ofAccount],
    [address, eventStreams.ofAddress],
    ...(wider === null ? [] : [[wider, eventStreams.ofAddress * NETWORKS_TOGETHER] as const]),
  ]);
  for (const [who, limit] of shares) if ((open.get(who) ?? 0) >= limit) return null;
  const sharers = [...shares.keys()];
  const counted: EventSourceOf = (onEvent, end) => {
    count(sharers, 1);
    const stop = source(onEvent, end);
    return () => {
      count(sharers, -1);
      stop();
    };
  };
  return eventStream(request, counted, mayFollow);
}
