import { processLog } from '#app/http/logger.server.ts';
import { outsideRequests } from '#platform/request-id.ts';

const heartbeatMs = 20_000;
/** A stream may continue for this long after its reader loses access. */
const recheckMs = 15_000;
const retryMs = 2_000;
/** More than a reader gets at once on catching up. What nobody reads would fill the memory. */
const MAX_UNREAD = 1_000;

/** `json` is data that many readers get, written once. */
export type StreamEvent = { id?: string | number; event?: string } & ({ data: unknown } | { json: string });

const streamHeaders = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  // A compressing server or proxy would buffer events.
  'Cache-Control': 'no-store, no-transform',
  'X-Accel-Buffering': 'no',
};

/** A source of events: it gets a callback for them and one that ends the stream, and returns a function that stops it. */
export type EventSourceOf = (onEvent: (event: StreamEvent) => void, end: () => void) => () => void;

const open = new Set<() => void>();
let closed = false;

/** The number of open event streams in this process. */
export function openEventStreams(): number {
  return open.size;
}

/** Ends every open stream and refuses new ones, so that the process can stop. */
export function closeEventStreams(): void {
  closed = true;
  for (const end of [...open]) end();
}

function frame({ id, event, ...content }: StreamEvent): string {
  const lines = [];
  if (id !== undefined) lines.push(`id: ${id}`);
  if (event !== undefined) lines.push(`event: ${event}`);
  lines.push(`data: ${'json' in content ? content.json : JSON.stringify(content.data)}`);
  return `${lines.join('\n')}\n\n`;
}

/** Ends a stream when its reader loses access. A failed check is repeated. */
async function recheck(mayFollow: () => Promise<boolean>, end: () => void): Promise<void> {
  try {
    if (!(await mayFollow())) end();
  } catch (error) {
    processLog.warn({ err: error }, 'could not check the access of a stream; keeping it open');
  }
}

const rechecks = new Set<() => void>();
let heartbeat: NodeJS.Timeout | undefined;

/** Rechecks all streams of this process at the same moment, so that one query can answer for all of them. */
function recheckAtBeats(look: () => void): () => void {
  rechecks.add(look);
  heartbeat ??= outsideRequests(() =>
    setInterval(() => {
      for (const each of rechecks) each();
    }, recheckMs).unref(),
  );
  return () => {
    rechecks.delete(look);
    if (rechecks.size > 0) return;
    clearInterval(heartbeat);
    heartbeat = undefined;
  };
}

/**
 * A response with a stream of events (text/event-stream) from a source. It ends when the visitor leaves or
 * loses access, or the process stops; a comment every 20 s prevents proxies from closing it. A reader that is
 * far behind, or takes nothing between two comments, gets the buffered events, and then has to reconnect for those that
 * it missed. The server cuts the connection of one that never takes them.
 */
export function eventStream(
  request: Request,
  source: EventSourceOf,
  mayFollow: () => Promise<boolean>,
): Response {
  if (closed) return new Response(null, { status: 503, headers: { 'Retry-After': '5' } });
  // A HEAD request has no reader, so its stream would never end.
  if (request.method === 'HEAD') return new Response(null, { headers: streamHeaders });
  const encoder = new TextEncoder();
  let end = () => {};
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      let ended = false;
      let sent = 0;
      const unread = () => 1 - (controller.desiredSize ?? 1);
      const send = (text: string) => {
        if (ended) return;
        controller.enqueue(encoder.encode(text));
        sent += 1;
        if (unread() >= MAX_UNREAD) end();
      };
      send(`retry: ${retryMs}\n\n`);
      const unsubscribe = source(
        (event) => send(frame(event)),
        () => end(),
      );
      let takenBefore = -1;
      const heartbeat = setInterval(() => {
        const taken = sent - unread();
        if (unread() > 0 && taken === takenBefore) return end();
        takenBefore = taken;
        send(': here\n\n');
      }, heartbeatMs);
      heartbeat.unref();
      const stopRechecks = recheckAtBeats(() => void recheck(mayFollow, () => end()));
      end = () => {
        if (ended) return;
        ended = true;
        clearInterval(heartbeat);
        stopRechecks();
        open.delete(end);
        unsubscribe();
        try {
          controller.close();
        } catch {
          // The reader has cancelled, and the stream is already closed.
        }
      };
      open.add(end);
      if (request.signal.aborted) end();
      else request.signal.addEventListener('abort', () => end(), { once: true });
    },
    cancel() {
      end();
    },
  });
  return new Response(body, { headers: streamHeaders });
}
