import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { BotDeps, BotPart, PartReport } from '#bot/deps.ts';
import { endsWithin } from '#bot/end-all.ts';
import { stopTimes } from '#bot/stop-times.ts';
import { startWorker, type Worker } from '#bot/worker.ts';
import type { Database } from '#db/database.ts';
import { type ListedLease, listLeases } from '#domain/bot/list-leases.ts';
import { releaseLeases } from '#domain/bot/release-leases.ts';
import { underLease } from '#domain/bot/require-lease.ts';
import { type Holder, LEASE_MS, type Lease, type LeaseName, takeLeases } from '#domain/bot/take-leases.ts';
import { minute, second } from '#domain/kernel/time.ts';
import { steadyMs } from '#platform/steady-time.ts';

/** Leases are renewed this often, so that two renewals may fail. */
export const RENEW_MS = 4 * second;
/** A process without a lease checks this often whether it is free. */
export const CHECK_MS = 1.5 * second;
/** A holder begins calls for this long after it asked for its lease. One to Steam may outlast the lease. */
export const HELD_MS = LEASE_MS - 3 * second;

/** Returns a new name of a holder: no two are the same, wherever they run. Lists of holders have commas between. */
export const newHolder = (): string => `${hostname().replaceAll(',', '-')}:${process.pid}:${randomUUID()}`;

/** Returns how much of `longMs` is left since now, by the steady clock and by the date: never more than either says. */
export function countDown(longMs: number): () => number {
  const [sinceMs, sinceSteadyMs] = [Date.now(), steadyMs()];
  return () => Math.max(0, longMs - Math.max(Date.now() - sinceMs, steadyMs() - sinceSteadyMs));
}

/** A look comes so much after a lapse: leases that were taken together end within some milliseconds. */
const AFTER_LAPSE_MS = 50;

/**
 * Returns how long it takes until another process's lease could be over. A lease that seems to last longer than any was
 * taken before the database's clock was put back, and the next renewal shortens it.
 */
export const countDownLapse = (leftMs: number): (() => number) =>
  countDown(Math.min(leftMs, LEASE_MS) + AFTER_LAPSE_MS);

/** A lease as its holder knows it, from when it was taken until it is lost. */
export interface HeldLease extends Lease {
  /**
   * Milliseconds for which the holder may still act, and 0 while another process may have the part: after a pause, or
   * while the database does not answer. To be asked just before each call that has an effect outside.
   */
  leftMs(): number;
  isHeld(): boolean;
  /** Returns whether another process has had the part since, as far as this one knows. */
  isLost(): boolean;
  /** The database without the lease, for what must be kept although the lease is lost. */
  store: Database;
}

/** The dependencies of a part that runs under a lease, which each of its transactions requires. */
export interface LeasedDeps extends BotDeps {
  lease: HeldLease;
}

/** A part of the process that runs while the process has its lease. */
export interface LeasedPart<P extends BotPart> extends BotPart {
  /** The running part; null while another process does its work. */
  current(): P | null;
}

/** A part that could not be started is tried again after pauses that double. */
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [second, minute];

/** The report of a part that another process runs; this one is ready to take over. */
const standby: PartReport = { state: 'off', detail: 'another process does this' };
const unstarted: PartReport = { state: 'faulty', detail: 'it could not be started and is tried again' };

/** A part that this process leaves to others. */
export const partElsewhere = (names: readonly string[]): LeasedPart<never> => ({
  current: () => null,
  report: () =>
    Object.fromEntries(names.map((name) => [name, { state: 'off', detail: 'not among its BOT_ROLES' }])),
  nudge: () => {},
  stop: async () => {},
});

/** A lease that this process wants, and what runs under it. */
interface Runner {
  name: LeaseName;
  /** True if another process has the part; null before the first round. */
  isElsewhere: boolean | null;
  /** The time left of the other process's lease, as it was seen; null if nobody has it. */
  lapsesIn: (() => number) | null;
  held: { lease: Lease; left(): number } | null;
  /** True once the process stops and its calls have had their time: none begins, and those under way are aborted. */
  isCutOff: boolean;
  begin(lease: HeldLease): void;
  end(): Promise<void>;
}

/** All leases of this process. */
export class Leases {
  readonly #deps: BotDeps;
  readonly #holder: Holder;
  readonly #runners: Runner[] = [];
  readonly #renewal: Worker;
  /** The rest of the time in which a killed process of the same address may still have leases. */
  readonly #formerLeftMs = countDown(LEASE_MS + CHECK_MS);
  #taking: Promise<void> = Promise.resolve();
  /** True if something has changed since this process last looked: a lease may have been given up. */
  #hasChanged = true;
  readonly #unsubscribe: () => void;

  constructor(deps: BotDeps, holder: Holder) {
    this.#deps = deps;
    this.#holder = holder;
    this.#unsubscribe = deps.changes.listen(() => {
      this.#hasChanged = true;
    });
    this.#renewal = startWorker({
      name: 'renew-leases',
      everyMs: CHECK_MS,
      run: () => this.#round(),
      // Leases that are given up are noticed by the change.
      changes: deps.changes,
      longestPauseMs: CHECK_MS,
      log: deps.log,
    });
  }

  /**
   * Runs a part while this process has the lease, and anew each time that it takes it. `names` are those of the part's
   * reports.
   */
  whileHeld<P extends BotPart>(
    name: LeaseName,
    names: readonly string[],
    start: (deps: LeasedDeps) => P | Promise<P>,
  ): LeasedPart<P> {
    const runner: PartRunner<P> = new PartRunner<P>(this.#deps, name, names, start, () =>
      this.#giveUp(runner),
    );
    this.#runners.push(runner);
    this.#renewal.nudge();
    return runner;
  }

  /** Renews and takes no more leases. Each was given up when its part had stopped. */
  stop = (): Promise<void> => {
    this.#unsubscribe();
    return this.#renewal.stop();
  };

  /** Frees the lease of a part that has stopped, so that others need not wait for its end. */
  async #giveUp(runner: Runner): Promise<void> {
    const place = this.#runners.indexOf(runner);
    if (place >= 0) this.#runners.splice(place, 1);
    // One that is being renewed would be taken again otherwise.
    await this.#taking.catch(() => {});
    runner.held = null;
    await releaseLeases(this.#deps.db, this.#holder.holder, [runner.name]);
  }

  async #round(): Promise<number> {
    const isDue = this.#isRenewalDue() || this.#runners.some(({ isElsewhere }) => isElsewhere === null);
    // A renewal asks for none that another process had a moment ago.
    const isAnyFree = (!isDue || this.#hasChanged) && (await this.#isAnyFree());
    if (isDue || isAnyFree) {
      this.#taking = this.#take();
      await this.#taking;
    }
    return Math.max(0, Math.min(...this.#runners.map((runner) => this.#nextLook(runner))));
  }

  #isRenewalDue = (): boolean => this.#runners.some(({ held }) => held && untilRenewal(held) <= 0);

  /** Milliseconds until a runner's lease is to be renewed, or another process's could be over. */
  #nextLook({ held, lapsesIn }: Runner): number {
    if (held) return untilRenewal(held);
    // Each round reads it anew, so that a look may follow at once.
    return lapsesIn ? Math.max(1, lapsesIn()) : CHECK_MS;
  }

  async #listed(): Promise<ListedLease[]> {
    this.#hasChanged = false;
    const names = this.#runners.map(({ name }) => name);
    try {
      return await listLeases(this.#deps.db.read, names);
    } catch (error) {
      this.#hasChanged = true;
      throw error;
    }
  }

  /** Looks who has the leases that this process has not. Returns whether nobody has one of them. */
  async #isAnyFree(): Promise<boolean> {
    if (this.#runners.every(({ held }) => held)) return false;
    return this.#learn(await this.#listed());
  }

  #learn(listed: readonly ListedLease[]): boolean {
    const wanted = this.#runners.filter(({ held }) => !held);
    // One that is this process's own was taken by a transaction whose answer was lost.
    const others = listed.filter(({ leftMs, holder }) => leftMs > 0 && holder !== this.#holder.holder);
    for (const runner of wanted) {
      const other = others.find(({ name }) => name === runner.name);
      const isFormer = other?.address === this.#holder.address && this.#formerLeftMs() > 0;
      runner.isElsewhere = other !== undefined && !isFormer;
      runner.lapsesIn = other ? countDownLapse(other.leftMs) : null;
    }
    return wanted.some((runner) => !others.some(({ name }) => name === runner.name));
  }

  /**
   * Takes and renews leases, but for those that another process had a moment ago. Their time counts from before it asks.
   */
  async #take(): Promise<void> {
    const left = countDown(HELD_MS);
    const asked = this.#runners.filter(({ held, lapsesIn }) => held || !lapsesIn || lapsesIn() === 0);
    const names = asked.map(({ name }) => name);
    const taken = await takeLeases(this.#deps.db, this.#holder, names);
    const listed = taken.length < asked.length ? await this.#listed() : null;
    for (const runner of asked) {
      const lease = taken.find(({ name }) => name === runner.name);
      // One of its own writes is putting the lease in force again.
      if (!lease && runner.held && isStillOwn(runner.held.lease, listed ?? [])) continue;
      if (lease) runner.isElsewhere = false;
      if (runner.held && runner.held.lease.epoch === lease?.epoch) runner.held.left = left;
      else this.#change(runner, lease, left);
    }
    if (listed) this.#learn(listed);
  }

  #change(runner: Runner, lease: Lease | undefined, left: () => number): void {
    const { db, log } = this.#deps;
    if (runner.held) {
      const { name, epoch } = runner.held.lease;
      log.warn({ lease: name, epoch }, 'lost a lease; another process goes on');
      runner.held = null;
      void runner.end();
    }
    if (!lease) return;
    log.info({ lease: lease.name, epoch: lease.epoch }, 'took a lease');
    const held = { lease, left };
    runner.held = held;
    const leftMs = () => (runner.held === held && !runner.isCutOff ? held.left() : 0);
    const isLost = () => runner.held !== held;
    runner.begin({ ...lease, leftMs, isHeld: () => leftMs() > 0, isLost, store: db });
  }
}

const untilRenewal = ({ left }: { left(): number }): number => left() - (HELD_MS - RENEW_MS);

/** Returns whether nobody else has had a lease since. */
const isStillOwn = ({ name, holder, epoch }: Lease, listed: readonly ListedLease[]): boolean =>
  listed.some((one) => one.name === name && one.holder === holder && one.epoch === epoch);

/** Starts a part anew in each epoch of its lease, and ends it at the loss. */
class PartRunner<P extends BotPart> implements Runner, LeasedPart<P> {
  readonly name: LeaseName;
  isElsewhere: boolean | null = null;
  lapsesIn: Runner['lapsesIn'] = null;
  held: Runner['held'] = null;
  isCutOff = false;
  readonly #deps: BotDeps;
  readonly #names: readonly string[];
  readonly #start: (deps: LeasedDeps) => P | Promise<P>;
  readonly #giveUp: () => Promise<void>;
  #part: P | null = null;
  /** Aborted at the end of the epoch. */
  #epoch = new AbortController();
  #hasFailed = false;
  #isStopped = false;
  #lastTurn: Promise<void> = Promise.resolve();

  constructor(
    deps: BotDeps,
    name: LeaseName,
    names: readonly string[],
    start: (deps: LeasedDeps) => P | Promise<P>,
    giveUp: () => Promise<void>,
  ) {
    this.name = name;
    this.#deps = deps;
    this.#names = names;
    this.#start = start;
    this.#giveUp = giveUp;
  }

  /** One after another: what ends may take longer than the next lease is away. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    this.#lastTurn = this.#lastTurn.then(work).catch((err) => {
      this.#deps.log.error({ err, lease: this.name }, 'a part could not be stopped');
    });
    return this.#lastTurn;
  }

  begin(lease: HeldLease): void {
    if (this.#isStopped) return;
    this.#epoch = new AbortController();
    const { signal } = this.#epoch;
    void this.#inTurn(() => this.#startIn(lease, signal));
  }

  async #startIn(lease: HeldLease, signal: AbortSignal): Promise<void> {
    for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      try {
        this.#part = await this.#start({ ...this.#deps, db: underLease(this.#deps.db, lease), lease });
        this.#hasFailed = false;
        return;
      } catch (err) {
        this.#hasFailed = true;
        this.#deps.log.error({ err, lease: this.name, pauseMs }, 'a part could not be started; trying again');
      }
      // The end of the epoch ends the pause.
      await delay(pauseMs, undefined, { signal }).catch(() => {});
    }
  }

  end(): Promise<void> {
    this.#epoch.abort();
    return this.#inTurn(async () => {
      const ending = this.#part;
      this.#part = null;
      this.#hasFailed = false;
      await ending?.stop();
    });
  }

  current = (): P | null => this.#part;

  report = (): Record<string, PartReport> => {
    const waiting: PartReport = this.isElsewhere ? standby : { state: 'starting' };
    const absent = this.#hasFailed ? unstarted : waiting;
    return this.#part?.report() ?? Object.fromEntries(this.#names.map((name) => [name, absent]));
  };

  nudge = (): void => this.#part?.nudge();

  stop = async (): Promise<void> => {
    const { log } = this.#deps;
    this.#isStopped = true;
    const ended = this.end();
    if (!(await endsWithin(stopTimes.callsMs, ended))) {
      this.isCutOff = true;
      if (!(await endsWithin(stopTimes.leaseMs - stopTimes.callsMs, ended)))
        log.warn(
          { lease: this.name },
          'a part takes too long to stop; what it writes from now on is refused',
        );
    }
    await this.#giveUp().catch((err) =>
      log.warn({ err, lease: this.name }, 'a lease could not be given up; it ends by itself'),
    );
    await ended;
  };
}
