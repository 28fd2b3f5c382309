import { dayOf, second } from '#domain/kernel/time.ts';

/** A longer interval counts for nobody. */
const LONGEST_MS = 150 * second;

/** The facts of a channel that no reading of its chat changes, apart from the cursor and the day. */
export interface ChannelFacts {
  streamId: string | null;
  live: boolean;
  wentOfflineAtMs: number | null;
  watchedUntilMs: number | null;
  rolledUpToMs: number | null;
}

export interface Reading {
  streamId: string;
  twitchIds: readonly string[];
  isGap: boolean;
  nowMs: number;
}

interface Rule {
  neededSeconds: number;
  isOpen: boolean;
  baseline: ReadonlyMap<string, number>;
}

/**
 * A channel on which every reading credits each listed viewer, in plain maps: there is no clock of the channel, nobody
 * is remembered, and nothing is due.
 */
export class ModelledChannel {
  facts: ChannelFacts = {
    streamId: null,
    live: false,
    wentOfflineAtMs: null,
    watchedUntilMs: null,
    rolledUpToMs: null,
  };
  readonly seconds = new Map<string, number>();
  /** By day and viewer. */
  readonly days = new Map<string, number>();
  readonly lastCountedMs = new Map<string, number>();
  readonly qualified = new Set<string>();
  /** Those on the last list that counted. */
  present = new Set<string>();
  readonly #rules = new Map<string, Rule>();
  readonly #registered: ReadonlySet<string>;

  constructor(registered: ReadonlySet<string>) {
    this.#registered = registered;
  }

  /**
   * Takes a reading, and returns how many seconds it came to.
   *
   * @param reachedMs how far it came if its process died between the parts of the interval, or before the first of them
   */
  read({ streamId, twitchIds, isGap, nowMs }: Reading, reachedMs?: number | null): number {
    const { facts } = this;
    const fromMs = facts.watchedUntilMs;
    if (facts.streamId !== streamId || reachedMs === fromMs) return 0;
    const endMs = facts.live ? nowMs : Math.min(nowMs, facts.wentOfflineAtMs ?? 0);
    const isAhead = facts.live && fromMs !== null && fromMs - nowMs > LONGEST_MS;
    if (fromMs === null || isAhead) facts.watchedUntilMs = endMs;
    if (fromMs === null || endMs - fromMs < second) return 0;
    const untilMs = endMs - ((endMs - fromMs) % second);
    facts.watchedUntilMs = untilMs;
    if (untilMs - fromMs > LONGEST_MS || isGap) return 0;
    const listed = new Set(twitchIds);
    facts.rolledUpToMs ??= dayOf(fromMs);
    const isSameDay = facts.rolledUpToMs === dayOf(fromMs) && dayOf(untilMs) > dayOf(fromMs);
    const turnMs = isSameDay ? fromMs + Math.floor((dayOf(untilMs) - fromMs) / second) * second : fromMs;
    if (turnMs > fromMs) this.#credit(listed, fromMs, turnMs);
    if (reachedMs === turnMs) {
      facts.watchedUntilMs = turnMs;
      return (turnMs - fromMs) / second;
    }
    facts.rolledUpToMs = Math.max(facts.rolledUpToMs, dayOf(untilMs));
    if (untilMs > turnMs) this.#credit(listed, turnMs, untilMs);
    return (untilMs - fromMs) / second;
  }

  #credit(listed: Set<string>, fromMs: number, untilMs: number): void {
    const seconds = (untilMs - fromMs) / second;
    for (const id of listed) {
      add(this.seconds, id, seconds);
      add(this.days, `${this.facts.rolledUpToMs} ${id}`, seconds);
      this.lastCountedMs.set(id, untilMs);
    }
    this.present = listed;
    this.evaluate();
  }

  open(ruleId: string, neededSeconds: number, isSinceRule: boolean): void {
    const baseline = new Map(isSinceRule ? this.seconds : []);
    this.#rules.set(ruleId, { neededSeconds, isOpen: true, baseline });
    this.evaluate();
  }

  pause(isPaused: boolean): void {
    for (const rule of this.#rules.values()) rule.isOpen = !isPaused;
    this.evaluate();
  }

  evaluate(): void {
    for (const [ruleId, { neededSeconds, isOpen, baseline }] of this.#rules)
      for (const [id, seconds] of this.seconds)
        if (isOpen && this.#registered.has(id) && seconds - (baseline.get(id) ?? 0) >= neededSeconds)
          this.qualified.add(`${ruleId} ${id}`);
  }

  erase(id: string): void {
    for (const known of [this.seconds, this.lastCountedMs, this.present]) known.delete(id);
    for (const day of this.days.keys()) if (day.endsWith(` ${id}`)) this.days.delete(day);
    for (const { baseline } of this.#rules.values()) (baseline as Map<string, number>).delete(id);
  }
}

const add = (sums: Map<string, number>, key: string, amount: number) =>
  sums.set(key, (sums.get(key) ?? 0) + amount);
