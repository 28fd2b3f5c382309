import { processLog } from '#app/http/logger.server.ts';
import { outsideRequests } from '#platform/request-id.ts';

/** All streams of the process are looked at this often, in rounds. */
const roundMs = 5_000;
/** A stream on which nothing was written for so many rounds gets a sign of life. */
const QUIET_ROUNDS = 5;
/** A reader who takes nothing of what waits for so many rounds has stopped reading. */
const STILL_ROUNDS = 5;
/** A stream may continue for so many rounds after its reader loses access. */
const RECHECK_ROUNDS = 3;
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

/** A stream that is looked at in rounds. */
interface Visited {
  /** Sends a sign of life if it is time for one, or ends the stream of a reader who has stopped reading. */
  visit: () => void;
  recheck: () => void;
}
const visited = new Set<Visited>();
let rounds = 0;
let roundTimer: NodeJS.Timeout | undefined;

/** Looks at all streams of this process at the same moments, so that one query can answer for the rechecks of all. */
function inRounds(stream: Visited): () => void {
  visited.add(stream);
  roundTimer ??= outsideRequests(() =>
    setInterval(() => {
      rounds += 1;
      for (const { visit } of visited) visit();
      if (rounds % RECHECK_ROUNDS === 0) for (const { recheck } of visited) recheck();
    }, roundMs).unref(),
  );
  return () => {
    visited.delete(stream);
    if (visited.size > 0) return;
    clearInterval(roundTimer);
    [roundTimer, rounds] = [undefined, 0];
  };
}

const encoder = new TextEncoder();
const signOfLife = encoder.encode(': here\n\n');

/**
 * A response with a stream of events (text/event-stream) from a source. It ends when the visitor leaves or
 * loses access, or the process stops; a comment after 20 to 25 quiet seconds prevents proxies from closing it. A reader
 * that is far behind, or takes nothing for as long, gets the buffered events, and then has to reconnect for those that it
 * missed. The server cuts the connection of one that never takes them.
 */
export function eventStream(
  request: Request,
  source: EventSourceOf,
  mayFollow: () => Promise<boolean>,
): Response {
  if (closed) return new Response(null, { status: 503, headers: { 'Retry-After': '5' } });
  // A HEAD request has no reader, so its stream would never end.
  if (request.method === 'HEAD') return new Response(null, { headers: streamHeaders });
  let end = () => {};
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      let ended = false;
      let sent = 0;
      let quietRounds = 0;
      const unread = () => 1 - (controller.desiredSize ?? 1);
      const send = (bytes: Uint8Array) => {
        if (ended) return;
        controller.enqueue(bytes);
        sent += 1;
        quietRounds = 0;
        if (unread() >= MAX_UNREAD) end();
      };
      send(encoder.encode(`retry: ${retryMs}\n\n`));
      const unsubscribe = source(
        (event) => send(encoder.encode(frame(event))),
        () => end(),
      );
      let [takenBefore, stillRounds] = [-1, 0];
      const visit = () => {
        const taken = sent - unread();
        stillRounds = unread() > 0 && taken === takenBefore ? stillRounds + 1 : 0;
        takenBefore = taken;
        if (stillRounds >= STILL_ROUNDS) return end();
        quietRounds += 1;
        if (quietRounds >= QUIET_ROUNDS) send(signOfLife);
      };
      const leaveRounds = inRounds({ visit, recheck: () => void recheck(mayFollow, () => end()) });
      end = () => {
        if (ended) return;
        ended = true;
        leaveRounds();
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
