import type { BotDeps } from '#bot/deps.ts';
import { endsWithin } from '#bot/end-all.ts';
import { CHECK_MS, countDown, countDownLapse, HELD_MS, type HeldLease, RENEW_MS } from '#bot/leases.ts';
import { startWorker, type Worker } from '#bot/worker.ts';
import type { Database } from '#db/database.ts';
import { releaseLeases } from '#domain/bot/release-leases.ts';
import { underLease } from '#domain/bot/require-lease.ts';
import { type Holder, LEASE_MS, type Lease, type LeaseName } from '#domain/bot/take-leases.ts';
import {
  areSettled,
  leaveSlots,
  planSlots,
  readSlots,
  type SharedNow,
  SLOTS,
  slotOf,
  stopSharing,
  takeSlots,
} from '#domain/bot/take-slots.ts';
import { second } from '#domain/kernel/time.ts';

/** The time that the work under way in a slot has before the slot is given up. Whatever it writes later is refused. */
const limits = {
  moveMs: 15 * second,
  /** At a planned stop, after which the process soon ends. */
  stopMs: 1.5 * second,
};

/** The slots of channels that this process has. */
export interface Slots {
  /** The lease under which this process works for a channel; null if the channel is another's. */
  leaseOf(channelId: string): HeldLease | null;
  /** Milliseconds for which this process may still ask Twitch about a channel, also while its slot is being given up. */
  leftMs(channelId: string): number;
  /** The database for work under these leases. */
  databaseFor(leases: readonly Lease[]): Database;
  /** True if no other process has a slot, so that this one knows all that is to be known of every channel. */
  areAllHere(): boolean;
  /** Number of slots that this process has. */
  count(): number;
  /** True if other processes have all slots. */
  areElsewhere(): boolean;
}

/** The work in slots. */
export interface SlotWork {
  /** Begins no more work in a slot that is being given up, and resolves when the work under way has ended. */
  settle(name: LeaseName, lease: HeldLease): Promise<void>;
  /** Called when slots have come or gone. */
  changed(): void;
}

interface Held {
  /** Made once: workers ask for it for each channel and round. */
  lease: HeldLease;
  left(): number;
  /** Set while it is being given up. */
  leaving: Leaving | null;
}

interface Leaving {
  isSettled: boolean;
  /** Resolves when the work has ended, or has lasted too long. */
  settled: Promise<void>;
}

/**
 * Shares the slots of channels with all other processes. One that is to be given up is left when its work has ended, and
 * one that was lost is left at once.
 */
export class SharedSlots implements Slots {
  readonly #deps: BotDeps;
  readonly #holder: Holder;
  readonly #limits: typeof limits;
  readonly #held = new Map<LeaseName, Held>();
  #work: SlotWork | null = null;
  #sharing: Worker | null = null;
  /** The rest of the time in which a killed process, in whose place this one came, may still have slots. */
  readonly #formerLeftMs = countDown(LEASE_MS + CHECK_MS);
  #left = () => 0;
  #others = 0;
  #isElsewhere = false;
  /** False while slots have no living holder, or are to move to or from this process. */
  #isSettled = false;
  /** The time until a process could be missing. */
  #lapsesIn = () => 0;

  constructor(deps: BotDeps, holder: Holder, given = limits) {
    this.#deps = deps;
    this.#holder = holder;
    this.#limits = given;
  }

  /** Begins to take slots for this work. */
  start(work: SlotWork): void {
    this.#work = work;
    this.#sharing = startWorker({
      name: 'share-slots',
      everyMs: CHECK_MS,
      run: () => this.#round(),
      changes: this.#deps.changes,
      longestPauseMs: CHECK_MS,
      log: this.#deps.log,
    });
  }

  leaseOf(channelId: string): HeldLease | null {
    const held = this.#held.get(slotOf(channelId));
    return held && !held.leaving ? held.lease : null;
  }

  leftMs = (channelId: string): number => this.#held.get(slotOf(channelId))?.left() ?? 0;

  #hold(lease: Lease, left: () => number): void {
    const isLost = () => this.#held.get(lease.name) !== held;
    const leftMs = () => (isLost() ? 0 : held.left());
    const store = this.#deps.db;
    const held: Held = {
      lease: { ...lease, leftMs, isHeld: () => leftMs() > 0, isLost, store },
      left,
      leaving: null,
    };
    this.#held.set(lease.name, held);
  }

  databaseFor = (leases: readonly Lease[]): Database => underLease(this.#deps.db, ...leases);
  areAllHere = (): boolean => this.#held.size === SLOTS && this.#others === 0;
  count = (): number => this.#held.size;
  areElsewhere = (): boolean => this.#isElsewhere && this.#formerLeftMs() === 0;

  async #round(): Promise<number> {
    await this.#giveUpSettled();
    if (this.#untilRenewal() <= 0 || (await this.#isAnythingToMove())) await this.#take();
    return Math.max(
      0,
      Math.min(this.#untilRenewal(), this.#lapsesIn(), this.#isSettled ? RENEW_MS : CHECK_MS),
    );
  }

  #untilRenewal = (): number => this.#left() - (HELD_MS - RENEW_MS);

  async #isAnythingToMove(): Promise<boolean> {
    const shared = await readSlots(this.#deps.db.read, this.#holder.holder);
    this.#learn(shared);
    const { surplus, wanted } = planSlots(this.#holder.holder, shared);
    return wanted.length > 0 || surplus.some((name) => !this.#held.get(name)?.leaving);
  }

  #learn(shared: SharedNow): void {
    const { living, holders, lapsesInMs } = shared;
    const owners = [...holders.values()];
    this.#others = living.filter((one) => one !== this.#holder.holder).length;
    this.#isElsewhere = owners.every((owner) => owner !== null && owner !== this.#holder.holder);
    this.#isSettled = areSettled(this.#holder.holder, shared);
    this.#lapsesIn = countDownLapse(lapsesInMs);
  }

  /** Takes and renews slots. Their time counts from before it asks. */
  async #take(): Promise<void> {
    const left = countDown(HELD_MS);
    const { taken, surplus, shared } = await takeSlots(this.#deps.db, this.#holder);
    this.#left = left;
    this.#learn(shared);
    let hasChanged = false;
    for (const lease of taken) {
      const known = this.#held.get(lease.name);
      if (known?.lease.epoch === lease.epoch) known.left = left;
      else {
        this.#hold(lease, left);
        hasChanged = true;
      }
    }
    for (const name of [...this.#held.keys()]) {
      if (taken.some((lease) => lease.name === name)) continue;
      // A slot that is only being written at this moment is still held, as long as its time lasts.
      if (shared.holders.get(name) === this.#holder.holder) continue;
      this.#deps.log.warn({ lease: name }, 'lost a slot of channels; another process goes on');
      this.#held.delete(name);
      hasChanged = true;
    }
    for (const name of surplus) if (!this.#held.get(name)?.leaving) this.#leave(name);
    if (!hasChanged) return;
    this.#deps.log.info({ slots: this.#held.size }, 'the channels are divided anew');
    this.#work?.changed();
  }

  /** Gives a slot up once its work has ended, or has lasted too long. */
  #leave(name: LeaseName): void {
    const held = this.#held.get(name);
    if (!held) return;
    const leaving = { isSettled: false, settled: this.#settle(name, held.lease) };
    held.leaving = leaving;
    void leaving.settled.then(() => {
      leaving.isSettled = true;
      this.#sharing?.nudge();
    });
  }

  async #settle(name: LeaseName, lease: HeldLease): Promise<void> {
    const { log } = this.#deps;
    const work = this.#work?.settle(name, lease).catch((err) => {
      log.error({ err, lease: name }, 'the work of a slot ended with an error');
    });
    if (work && !(await endsWithin(this.#limits.moveMs, work)))
      log.warn({ lease: name }, 'the work of a slot takes too long; another process goes on');
  }

  async #giveUpSettled(): Promise<void> {
    const names = [...this.#held].filter(([, { leaving }]) => leaving?.isSettled).map(([name]) => name);
    if (names.length === 0) return;
    for (const name of names) this.#held.delete(name);
    await releaseLeases(this.#deps.db, this.#holder.holder, names);
    this.#deps.log.info({ slots: this.#held.size, given: names.length }, 'gave slots of channels up');
    this.#work?.changed();
  }

  /** Takes no more slots, and gives up each of its own once the work in it has ended; after a while, all that are left. */
  async stop(): Promise<void> {
    if (!this.#sharing) return;
    await this.#sharing.stop();
    await this.#leaveAll().catch((err) =>
      this.#deps.log.warn({ err }, 'the slots could not be given up; they end by themselves'),
    );
    this.#held.clear();
  }

  async #leaveAll(): Promise<void> {
    const { db } = this.#deps;
    const { holder } = this.#holder;
    await stopSharing(db, holder);
    for (const [name, { leaving }] of this.#held) if (!leaving) this.#leave(name);
    await endsWithin(this.#limits.stopMs, this.#giveUpEach());
    this.#held.clear();
    await leaveSlots(db, holder);
  }

  async #giveUpEach(): Promise<void> {
    while (this.#held.size > 0) {
      await Promise.race([...this.#held.values()].map(({ leaving }) => leaving?.settled));
      await this.#giveUpSettled();
    }
  }
}
