import { randomUUID } from 'node:crypto';
import { processLog } from '#app/http/logger.server.ts';
import type { Database } from '#db/database.ts';
import { STREAMS_KNOWN_MS, shareStreams } from '#domain/identity/access/share-streams.ts';
import { second } from '#domain/kernel/time.ts';
import { outsideRequests } from '#platform/request-id.ts';

/** The interval at which processes report to each other how many streams they have, if that has changed. */
const SHARE_EVERY_MS = second;
/** The interval at which streams are reported again, so that the others do not forget them. */
const REPORT_AGAIN_MS = STREAMS_KNOWN_MS / 3;
/** A sharer with no more streams here than this part of the limit costs no write. */
const QUIET_PART = 0.2;

interface Sharer {
  streams: number;
  /** Streams in other processes, as far as they have reported. */
  elsewhere: number;
  limit: number;
  isReported: boolean;
}

/**
 * Counts the open event streams of accounts and addresses, in this process at once and across processes within a second.
 * While the database is away each process counts alone.
 */
export class StreamShares {
  readonly #open: () => Promise<Database>;
  readonly #keyOf: (who: string) => string;
  readonly #shareEveryMs: number;
  readonly #process = randomUUID();
  readonly #sharers = new Map<string, Sharer>();
  #timer: NodeJS.Timeout | undefined;
  #dueAtMs = Number.POSITIVE_INFINITY;
  #sharing: Promise<void> | null = null;

  constructor(
    open: () => Promise<Database>,
    { keyOf, shareEveryMs = SHARE_EVERY_MS }: { keyOf: (who: string) => string; shareEveryMs?: number },
  ) {
    this.#open = open;
    this.#keyOf = keyOf;
    this.#shareEveryMs = shareEveryMs;
  }

  /** Returns whether each of these may open one more stream. */
  mayOpen(limits: ReadonlyMap<string, number>): boolean {
    return [...limits].every(([who, limit]) => {
      const { streams = 0, elsewhere = 0 } = this.#sharers.get(who) ?? {};
      const may = streams + elsewhere < limit;
      // Those elsewhere may have ended since.
      if (!may && elsewhere > 0) this.#shareIn(this.#shareEveryMs);
      return may;
    });
  }

  /** Counts one more stream for each of these. Returns a function that ends it. */
  add(limits: ReadonlyMap<string, number>): () => void {
    for (const [who, limit] of limits) this.#change(who, limit, 1);
    return () => {
      for (const [who, limit] of limits) this.#change(who, limit, -1);
    };
  }

  /** Reports the streams that have ended, before the process does. */
  async stop(): Promise<void> {
    await this.#sharing;
    this.#share();
    await this.#sharing;
  }

  #change(who: string, limit: number, by: 1 | -1): void {
    const sharer = this.#sharers.get(who) ?? { streams: 0, elsewhere: 0, limit, isReported: false };
    sharer.streams += by;
    if (sharer.streams > 0 || sharer.isReported) this.#sharers.set(who, sharer);
    else this.#sharers.delete(who);
    if (this.#isToReport(sharer)) this.#shareIn(this.#shareEveryMs);
  }

  #isToReport = ({ streams, limit, isReported }: Sharer): boolean =>
    isReported || streams > limit * QUIET_PART;

  #shareIn(ms: number): void {
    this.#dueAtMs = Math.min(this.#dueAtMs, performance.now() + ms);
    // One at a time, however slow the database is.
    if (this.#sharing) return;
    clearTimeout(this.#timer);
    const leftMs = this.#dueAtMs - performance.now();
    outsideRequests(() => {
      this.#timer = setTimeout(() => this.#share(), leftMs).unref();
    });
  }

  #share(): void {
    clearTimeout(this.#timer);
    this.#dueAtMs = Number.POSITIVE_INFINITY;
    const due = [...this.#sharers].filter(([, sharer]) => this.#isToReport(sharer));
    if (due.length === 0) return;
    this.#sharing = this.#report(due).then(() => {
      this.#sharing = null;
      this.#shareIn(REPORT_AGAIN_MS);
    });
  }

  async #report(due: readonly [string, Sharer][]): Promise<void> {
    const keys = new Map(due.map(([who, sharer]) => [this.#keyOf(who), sharer]));
    const open = new Map([...keys].map(([key, { streams }]) => [key, streams]));
    // Set before the answer, because some may end while it is awaited.
    for (const [, sharer] of due) sharer.isReported = sharer.streams > 0;
    try {
      const elsewhere = await shareStreams(await this.#open(), { process: this.#process, open });
      for (const [key, sharer] of keys) sharer.elsewhere = elsewhere.get(key) ?? 0;
    } catch (error) {
      for (const sharer of keys.values()) sharer.elsewhere = 0;
      processLog.warn({ err: error }, 'could not count the streams of other processes; counting here alone');
    }
    for (const [who, sharer] of due) {
      const hasLeft = sharer.streams === 0 && !sharer.isReported;
      if (hasLeft && this.#sharers.get(who) === sharer) this.#sharers.delete(who);
    }
  }
}
