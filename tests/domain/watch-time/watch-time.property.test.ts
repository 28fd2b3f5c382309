import { eq } from 'drizzle-orm';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isPostgres } from '#db/dialect.ts';
import { qualifications, type WatchScope } from '#db/schema/rule.ts';
import { users } from '#db/schema/user.ts';
import { closeRule } from '#domain/rule/close-rule.ts';
import { evaluateViewer } from '#domain/rule/evaluate-viewer.ts';
import { pauseRulesOf } from '#domain/rule/pause-rules.ts';
import { openTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { addPerson, addRule, addStreamer, type Person, START_MS } from '#tests/support/fixtures.ts';
import { resumeRules } from '#tests/support/resuming.ts';
import { goLive, goOff, readChatters } from '#tests/support/stream.ts';
import { watchedRows } from '#tests/support/watched.ts';

const runs = Number(process.env.PROPERTY_RUNS ?? (isPostgres ? 4 : 30));
const seed = Number(process.env.PROPERTY_SEED ?? 20_260_105);

type Step =
  | { kind: 'tick'; who: number; gap: boolean }
  | { kind: 'open'; minutes: number; scope: WatchScope }
  | { kind: 'verify'; viewer: number }
  | { kind: 'close' | 'pause' | 'resume' | 'off' | 'live' | 'newStream' };

const step: fc.Arbitrary<{ passMs: number; step: Step }> = fc.record({
  passMs: fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 55_000, max: 66_000 }) },
    { weight: 1, arbitrary: fc.constantFrom(0, 1, 999, 1000, 149_999, 150_000, 150_001, 151_000, 400_000) },
  ),
  step: fc.oneof(
    {
      weight: 14,
      arbitrary: fc.record({
        kind: fc.constant('tick' as const),
        who: fc.nat(15),
        gap: fc.integer({ min: 1, max: 12 }).map((n) => n === 1),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('open' as const),
        minutes: fc.integer({ min: 1, max: 6 }),
        scope: fc.constantFrom<WatchScope>('sinceRule', 'allTime'),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('verify' as const), viewer: fc.nat(3) }) },
    ...(['close', 'pause', 'resume', 'off', 'live', 'newStream'] as const).map((kind) => ({
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant(kind) }),
    })),
  ),
});

/** A naive reference: no thresholds, no cursors in a database, everyone evaluated every time. */
class NaiveChannel {
  seconds = new Map<string, number>();
  verified = new Set<string>();
  rules: { id: string; minutes: number; baseline: Map<string, number>; state: string }[] = [];
  qualified: string[] = [];
  live = true;
  stream = 1;
  countedUntilMs = START_MS;
  offSinceMs = 0;

  tick(twitchIds: string[], gap: boolean, nowMs: number): void {
    const endMs = this.live ? nowMs : Math.min(nowMs, this.offSinceMs);
    const passed = endMs - this.countedUntilMs;
    if (passed < 1000) return;
    const whole = Math.floor(passed / 1000);
    this.countedUntilMs += whole * 1000;
    if (gap || whole > 150) return;
    for (const id of twitchIds) this.seconds.set(id, (this.seconds.get(id) ?? 0) + whole);
    this.evaluate(nowMs);
  }

  goLive(sameStream: boolean, nowMs: number): void {
    const goesOn = sameStream && (this.live || nowMs - this.offSinceMs <= 5 * 60_000);
    const longAway = !this.live && nowMs - this.countedUntilMs > 90_000;
    if (!goesOn || longAway) this.countedUntilMs = nowMs;
    this.live = true;
  }

  evaluate(nowMs: number): void {
    for (const rule of this.rules.filter(({ state }) => state === 'open'))
      for (const id of this.verified) {
        const watched = (this.seconds.get(id) ?? 0) - (rule.baseline.get(id) ?? 0);
        const already = this.qualified.some((line) => line.startsWith(`${rule.id} ${id} `));
        if (watched >= rule.minutes * 60 && !already) this.qualified.push(`${rule.id} ${id} ${nowMs}`);
      }
  }
}

class Run {
  readonly naive = new NaiveChannel();
  nowMs = START_MS;
  readonly db: TestDatabase;
  readonly streamer: Person;
  readonly viewers: Person[];
  constructor(db: TestDatabase, streamer: Person, viewers: Person[]) {
    this.db = db;
    this.streamer = streamer;
    this.viewers = viewers;
  }

  async take(each: Step): Promise<void> {
    const { naive, db, nowMs } = this;
    const channelId = this.streamer.twitchId;
    const owner = { ownerId: this.streamer.userId, reason: 'operator' as const };
    if (each.kind === 'tick') {
      const present = this.viewers.filter((_, bit) => (each.who >> bit) % 2 === 1);
      const twitchIds = present.map(({ twitchId }) => twitchId);
      const facts = { streamId: `s${naive.stream}`, ...(each.gap && { gapReason: 'notPolled' as const }) };
      await readChatters(db, channelId, twitchIds, nowMs, facts);
      naive.tick(twitchIds, each.gap, nowMs);
    } else if (each.kind === 'open') {
      const asked = { watchMinutes: each.minutes, watchScope: each.scope, rewards: 0, nowMs };
      const id = await addRule(db, this.streamer, asked);
      if (naive.live && naive.rules.every(({ state }) => state !== 'open')) naive.countedUntilMs = nowMs;
      const baseline = each.scope === 'allTime' ? new Map() : new Map(naive.seconds);
      naive.rules.push({ id, minutes: each.minutes, baseline, state: 'open' });
      naive.evaluate(nowMs);
    } else if (each.kind === 'verify') {
      await this.#verify(this.viewers[each.viewer] as Person);
    } else if (each.kind === 'close') {
      const [rule] = naive.rules.splice(0, 1);
      if (rule) await closeRule(db, { ruleId: rule.id, userId: owner.ownerId }, nowMs);
    } else if (each.kind === 'pause') {
      await db.transaction((tx) => pauseRulesOf(tx, owner, nowMs));
      for (const rule of naive.rules) rule.state = 'paused';
    } else if (each.kind === 'resume') {
      await resumeRules(db, owner, nowMs);
      for (const rule of naive.rules) rule.state = 'open';
      naive.evaluate(nowMs);
    } else await this.#stream(each.kind);
  }

  async #verify({ userId, twitchId }: Person): Promise<void> {
    if (this.naive.verified.has(twitchId)) return;
    await this.db.transaction(async (tx) => {
      await tx.update(users).set({ emailVerifiedAtMs: this.nowMs }).where(eq(users.id, userId));
      await evaluateViewer(tx, { twitchId }, this.nowMs);
    });
    this.naive.verified.add(twitchId);
    this.naive.evaluate(this.nowMs);
  }

  async #stream(kind: 'off' | 'live' | 'newStream'): Promise<void> {
    const { naive, db, nowMs } = this;
    if (kind === 'off') {
      await goOff(db, this.streamer.twitchId, nowMs);
      if (naive.live) naive.offSinceMs = nowMs;
      naive.live = false;
      return;
    }
    if (kind === 'newStream') naive.stream++;
    await goLive(db, this.streamer.twitchId, nowMs, `s${naive.stream}`);
    naive.goLive(kind === 'live', nowMs);
  }

  async compare(): Promise<void> {
    const watched = await watchedRows(this.db.read);
    const seconds = Object.fromEntries(watched.map((row) => [row.twitchId, row.seconds]));
    expect(seconds, 'the seconds that were credited').toEqual(Object.fromEntries(this.naive.seconds));
    const rows = await this.db.read.select().from(qualifications);
    const lines = rows.map((row) => `${row.ruleId} ${row.twitchId} ${row.qualifiedAtMs}`);
    expect(lines.sort(), 'who qualified, and when').toEqual([...this.naive.qualified].sort());
  }
}

test('Whatever a channel does, everyone has the seconds and meets the rules of the naive reference', async () => {
  const property = fc.asyncProperty(
    fc.array(step, { minLength: 20, maxLength: 60, size: 'max' }),
    async (steps) => {
      await using db = await openTestDatabase();
      const streamer = await addStreamer(db);
      const viewers: Person[] = [];
      for (let n = 0; n < 4; n++) viewers.push(await addPerson(db, { verified: n > 0 }));
      const run = new Run(db, streamer, viewers);
      for (const { twitchId } of viewers.slice(1)) run.naive.verified.add(twitchId);
      await goLive(db, streamer.twitchId, START_MS);
      for (const { passMs, step: each } of steps) {
        run.nowMs += passMs;
        await run.take(each);
        await run.compare();
      }
    },
  );
  await fc.assert(property, { numRuns: runs, seed, interruptAfterTimeLimit: 60_000 });
});
