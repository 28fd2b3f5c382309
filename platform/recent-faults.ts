/** Something that went wrong in this process since it started, as its log says it. */
export interface RecentFault {
  /** The failure, and what happens next. */
  message: string;
  /** The part that failed: the process, and the worker or bot named in the line. */
  where: string;
  /** The cause, in the words of its last report. */
  detail: string | null;
  /** Number of times since the process started. */
  count: number;
  /** System time. */
  lastAtMs: number;
}

/** Number of faults that are stored; beyond it, the oldest is dropped. */
const MAX_FAULTS = 30;
const MAX_CHARACTERS = 300;
/** The levels of pino from `warn` on: 40, 50, 60. */
const isFault = /^\{"level":[456]0,/;

interface Line {
  time?: unknown;
  msg?: unknown;
  err?: { message?: unknown };
  [field: string]: unknown;
}

const firstText = (...values: readonly unknown[]): string | null => {
  const found = values.find((value) => typeof value === 'string' && value !== '');
  return found === undefined ? null : (found as string).slice(0, MAX_CHARACTERS);
};

/** The last warnings and errors of a process, each kind once. Fed with finished log lines, so secrets are redacted. */
export class RecentFaults {
  readonly #faults = new Map<string, RecentFault>();

  /** Takes a redacted line of the log and returns it. Lines below `warn` are not parsed. */
  record(line: string): string {
    if (isFault.test(line)) this.#keep(line);
    return line;
  }

  #keep(line: string): void {
    const read = parse(line);
    const message = firstText(read.msg);
    if (message === null) return;
    const part = firstText(read.worker, read.bot);
    const where = [firstText(read.process), part].filter((each) => each !== null).join(' · ');
    const key = `${where} ${message}`;
    const before = this.#faults.get(key);
    // Deleted first, so that the newest is always the last.
    this.#faults.delete(key);
    this.#faults.set(key, {
      message,
      where,
      detail: firstText(read.err?.message, read.code, read.fault, read.detail, read.path),
      count: (before?.count ?? 0) + 1,
      lastAtMs: typeof read.time === 'number' ? read.time : Date.now(),
    });
    const [oldest] = this.#faults.keys();
    if (this.#faults.size > MAX_FAULTS && oldest !== undefined) this.#faults.delete(oldest);
  }

  /** The newest first. */
  list(): RecentFault[] {
    return [...this.#faults.values()].reverse();
  }
}

function parse(line: string): Line {
  try {
    return JSON.parse(line) as Line;
  } catch {
    return {};
  }
}

/** The faults of this process. */
export const recentFaults = new RecentFaults();
