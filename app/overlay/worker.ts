import type { Notice } from './protocol.ts';
import { EventStream, type Source } from './stream.ts';

/** A page says that it is there every 20 s; one that is hidden may be held up to a minute. */
const MISSING_MS = 5 * 60_000;

/** A page's first message; the later ones say that it is still there, or that it leaves. */
export type Hello = Pick<Source, 'door' | 'secret'>;
type Message = Hello | 'here' | 'bye';

/** Serves the pages of a browser from one stream. */
export function serve(scope: { onconnect: ((event: MessageEvent) => void) | null }, address: string): void {
  const stream = new EventStream(address);
  const lastSeen = new Map<Source, number>();
  const leave = (source: Source) => {
    lastSeen.delete(source);
    stream.remove(source);
  };
  scope.onconnect = ({ ports: [port] }) => {
    if (!port) return;
    let source: Source | null = null;
    port.onmessage = ({ data }: MessageEvent<Message>) => {
      if (data === 'bye') {
        if (source) leave(source);
      } else if (data === 'here') {
        port.postMessage('here');
        if (!source) return;
        // A computer that slept, or a page that was held, is there again.
        if (!lastSeen.has(source)) stream.add(source);
        lastSeen.set(source, performance.now());
      } else {
        source = { ...data, notify: (notice: Notice) => port.postMessage(notice) };
        lastSeen.set(source, performance.now());
        stream.add(source);
      }
    };
  };
  setInterval(() => {
    for (const [source, atMs] of lastSeen) if (performance.now() - atMs > MISSING_MS) leave(source);
  }, 60_000);
}
