import { second } from '#domain/kernel/time.ts';

/** A lease is asked this often during a call: its date may be stepped, and it may be given up. */
const ASK_EVERY_MS = second / 4;

/** Thrown in place of an answer: the lease under which a call was made is not in force any more. */
export class LeaseLapsed extends Error {
  constructor() {
    super('the lease ended during the call');
    this.name = 'LeaseLapsed';
  }
}

/** The time left for calls under no lease. */
export const unlimited = (): number => Number.POSITIVE_INFINITY;

/**
 * Makes a call that ends with its lease, before another process may have the part: at the lapse its signal is aborted,
 * and `LeaseLapsed` is thrown. It may have taken effect by then, and what it answers later is dropped. It is not made at
 * all if nothing is left of the lease, so this is called when the call's turn has come. `limit` aborts the same signal for
 * a reason of its own. `AbortSignal.any` would not do: a deadline that only it refers to can be garbage-collected.
 */
export async function callInTime<T>(
  leftMs: () => number,
  make: (signal: AbortSignal) => Promise<T>,
  limit?: AbortSignal | null,
): Promise<T> {
  const end = new AbortController();
  let isLapsed = false;
  let timer: NodeJS.Timeout | undefined;
  const lapsed = new Promise<never>((_resolve, reject) => {
    const ask = () => {
      const ms = leftMs();
      if (ms === unlimited()) return;
      if (ms > 0) timer = setTimeout(ask, Math.min(ms, ASK_EVERY_MS));
      else {
        isLapsed = true;
        // First, because the call may throw an error of its own as soon as it is aborted.
        reject(new LeaseLapsed());
        end.abort();
      }
    };
    ask();
  });
  const onLimit = () => end.abort(limit?.reason);
  if (limit?.aborted) onLimit();
  limit?.addEventListener('abort', onLimit, { once: true });
  try {
    return await (isLapsed ? lapsed : Promise.race([make(end.signal), lapsed]));
  } finally {
    clearTimeout(timer);
    limit?.removeEventListener('abort', onLimit);
  }
}
