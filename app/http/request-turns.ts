/** Number of webhooks that are answered together. */
const TOGETHER = 10;
/**
 * Pages have the process to themselves for this long after some webhooks, for each millisecond that those
 * took.
 */
const PAUSE_PER_MS = 2;
/** For how long after a page another is expected. */
const SHARED_MS = 1000;
/** A webhook waits this long for pages that never end. */
const PATIENCE_MS = 250;
/** Number of webhooks that may wait: fifty seconds' worth while pages are requested without end. */
const MAX_WAITING = 2000;
/** Total size that their bodies may have: nobody knows yet whether Stripe signed them. */
const MAX_WAITING_BYTES = 32 * 1024 * 1024;

type Waiting = { begin: () => void; sinceMs: number; bytes: number };

/**
 * Decides whose turn it is in this process, so that a burst of webhooks does not delay pages: a page is
 * answered at once; webhooks wait until no page is being answered, go in small groups, and leave pages twice
 * the time that they took themselves. If nobody requests pages, they do not wait. System time.
 */
export function requestTurns() {
  const waiting: Waiting[] = [];
  let waitingBytes = 0;
  let pages = 0;
  let webhooks = 0;
  let begunMs = 0;
  let mayBeginMs = 0;
  let pageAskedMs = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;

  const look = () => {
    clearTimeout(timer);
    const [first] = waiting;
    if (webhooks > 0 || !first) return;
    const nowMs = performance.now();
    const patientMs = first.sinceMs + PATIENCE_MS;
    const beginMs = pages > 0 ? patientMs : Math.min(mayBeginMs, patientMs);
    if (nowMs < beginMs) timer = setTimeout(look, Math.ceil(beginMs - nowMs));
    else beginGroup(nowMs);
  };
  const beginGroup = (nowMs: number) => {
    begunMs = nowMs;
    const group = waiting.splice(0, TOGETHER);
    webhooks = group.length;
    for (const { begin, bytes } of group) {
      waitingBytes -= bytes;
      begin();
    }
  };
  const endWebhook = () => {
    webhooks -= 1;
    if (webhooks > 0) return;
    const nowMs = performance.now();
    const isShared = pages > 0 || nowMs - pageAskedMs < SHARED_MS;
    mayBeginMs = isShared ? nowMs + (nowMs - begunMs) * PAUSE_PER_MS : nowMs;
    // Lets input that arrived meanwhile be read first, such as the request for a page.
    setImmediate(look);
  };

  return {
    /** Answers something that a person waits for. */
    async page<T>(answer: () => Promise<T>): Promise<T> {
      pages += 1;
      pageAskedMs = performance.now();
      try {
        return await answer();
      } finally {
        pages -= 1;
        if (pages === 0 && waiting.length > 0) setImmediate(look);
      }
    },
    /** Answers a webhook of so many bytes when it is its turn; null if too many wait already. */
    async webhook<T>(answer: () => Promise<T>, bytes: number): Promise<T | null> {
      if (waiting.length >= MAX_WAITING || waitingBytes + bytes > MAX_WAITING_BYTES) return null;
      waitingBytes += bytes;
      await new Promise<void>((begin) => {
        waiting.push({ begin, sinceMs: performance.now(), bytes });
        if (waiting.length === 1) setImmediate(look);
      });
      try {
        return await answer();
      } finally {
        endWebhook();
      }
    },
  };
}
