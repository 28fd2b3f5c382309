import type { Notice } from './protocol.ts';
import { EventStream } from './stream.ts';
import type { Hello } from './worker.ts';

const HERE_MS = 20_000;
const MAX_UNANSWERED = 3;

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
  let unanswered = 0;
  const open = () => {
    const { port } = new SharedWorker(script, 'keepsake-overlay');
    port.onmessage = ({ data }: MessageEvent<Notice | 'here'>) => {
      if (data === 'here') unanswered = 0;
      else notify(data);
    };
    port.postMessage(hello);
    return port;
  };
  let port = open();
  setInterval(() => {
    // A worker that ended says nothing about it.
    if (unanswered >= MAX_UNANSWERED) {
      port.onmessage = null;
      port.postMessage('bye');
      port = open();
      unanswered = 0;
    }
    unanswered += 1;
    port.postMessage('here');
  }, HERE_MS);
  addEventListener('pagehide', () => port.postMessage('bye'));
}
