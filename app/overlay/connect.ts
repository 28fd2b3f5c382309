import type { Notice } from './protocol.ts';
import { EventStream } from './stream.ts';
import type { Hello } from './worker.ts';

const HERE_MS = 20_000;

/**
 * Connects a page to its browser's one stream: through a worker that all pages share, or, where there are no such workers,
 * through a stream of its own.
 */
export function connect(
  hello: Hello,
  { script, address }: { script: string; address: string },
  notify: (notice: Notice) => void,
) {
  if (typeof SharedWorker === 'undefined') {
    new EventStream(address).add({ ...hello, notify });
    return;
  }
  const { port } = new SharedWorker(script, 'keepsake-overlay');
  port.onmessage = ({ data }: MessageEvent<Notice>) => notify(data);
  port.postMessage(hello);
  setInterval(() => port.postMessage('here'), HERE_MS);
  addEventListener('pagehide', () => port.postMessage('bye'));
}
