import { asc, eq } from 'drizzle-orm';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isPostgres } from '#db/dialect.ts';
import { attendances, channels, stamps } from '#db/schema/channel.ts';
import { qualifications } from '#db/schema/rule.ts';
import { users } from '#db/schema/user.ts';
import { hour, minute } from '#domain/kernel/time.ts';
import { closeRule } from '#domain/rule/close-rule.ts';
import { evaluateViewer } from '#domain/rule/evaluate-viewer.ts';
import { pauseRulesOf } from '#domain/rule/pause-rules.ts';
import { progressOfViewer } from '#domain/view/progress-of-viewer.ts';
import { openTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { addPerson, addRule, addStreamer, type Person, START_MS } from '#tests/support/fixtures.ts';
import { resumeRules } from '#tests/support/resuming.ts';
import { goLive, goOff, readChatters } from '#tests/support/stream.ts';

const runs = Number(process.env.PROPERTY_RUNS ?? (isPostgres ? 4 : 30));
const seed = Number(process.env.PROPERTY_SEED ?? 20_261_129);

type Step =
  | { kind: 'tick'; passMs: number; who: number; gap: boolean }
  | { kind: 'open'; need: number; spare: number | null; watches: boolean }
  | { kind: 'verify'; viewer: number }
  | { kind: 'close' | 'pause' | 'resume' }
  | { kind: 'off' | 'live' | 'newStream'; passMs: number };

const pause = fc.constantFrom(0, minute, 4 * minute, 6 * minute, 30 * minute, 30 * minute + 1, 3 * hour);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 18,
    arbitrary: fc.record({
      kind: fc.constant('tick' as const),
      // Three hours are a bot that was down.
      passMs: fc.oneof(
        { weight: 12, arbitrary: fc.integer({ min: 110_000, max: 150_000 }) },
        { weight: 1, arbitrary: fc.constantFrom(0, 999, 150_999, 151_000, 3 * hour) },
      ),
      who: fc.oneof(fc.constant(15), fc.nat(15)),
      gap: fc.integer({ min: 1, max: 15 }).map((n) => n === 1),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('open' as const),
      need: fc.integer({ min: 1, max: 3 }),
      spare: fc.option(fc.nat(2)),
      watches: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('verify' as const), viewer: fc.nat(3) }) },
  ...(['close', 'pause', 'resume'] as const).map((kind) => ({
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant(kind) }),
  })),
  ...(['off', 'live', 'newStream', 'newStream'] as const).map((kind) => ({
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant(kind), passMs: pause }),
  })),
);

interface PlainRule {
  id: string;
  need: number;
  ofLast: number | null;
  needSeconds: number;
  before: Map<string, { stamps: number; seconds: number }>;
  state: 'open' | 'paused';
}

/** A whole stream, long enough for those who stay. Which of them come varies from one to the next. */
const evening: fc.Arbitrary<Step[]> = fc
  .nat(15)
  .map((who) => [
    { kind: 'newStream', passMs: 3 * hour },
    ...Array.from({ length: 5 }, () => ({ kind: 'tick' as const, passMs: 140_000, who, gap: false })),
  ]);
const steps = fc
  .array(fc.oneof({ weight: 4, arbitrary: step.map((each) => [each]) }, { weight: 1, arbitrary: evening }), {
    minLength: 20,
    maxLength: 45,
    size: 'max',
  })
  .map((all) => all.flat());

/** A plain channel: it keeps every second and every stream, and evaluates everyone each time. */
class PlainChannel {
  live = true;
  id = 1;
  number = 2;
  cursorMs = START_MS;
  offMs = 0;
  seconds = new Map<string, number>();
  /** Seconds in the running stream, since streams are counted. */
  inStream = new Map<string, number>();
  stamps = new Map<string, number[]>();
  verified = new Set<string>();
  rules: PlainRule[] = [];
  qualified: string[] = [];

  stampsOf = (id: string): number[] => this.stamps.get(id) ?? [];

  tick(ids: readonly string[], gap: boolean, nowMs: number): void {
    const passed = (this.live ? nowMs : Math.min(nowMs, this.offMs)) - this.cursorMs;
    const whole = Math.floor(passed / 1000);
    if (whole < 1) return;
    this.cursorMs += whole * 1000;
    if (gap || whole > 150) return;
    for (const id of ids) {
      this.seconds.set(id, (this.seconds.get(id) ?? 0) + whole);
      if (this.rules.length === 0) continue;
      const there = (this.inStream.get(id) ?? 0) + whole;
      this.inStream.set(id, there);
      const had = this.stampsOf(id);
      if (there >= 600 && had.at(-1) !== this.number) this.stamps.set(id, [...had, this.number]);
    }
    this.evaluate(nowMs);
  }

  begin(isSameId: boolean, nowMs: number): void {
    const wasSeenEnding = !this.live && this.offMs - this.cursorMs <= 5 * minute;
    const endMs = wasSeenEnding ? this.offMs : this.cursorMs;
    if (!isSameId && nowMs - endMs > 30 * minute) {
      this.number++;
      this.inStream.clear();
    }
    const goesOn = isSameId && (this.live || nowMs - this.offMs <= 5 * minute);
    if (!goesOn || (!this.live && nowMs - this.cursorMs > 90_000)) this.cursorMs = nowMs;
    this.live = true;
  }

  open(rule: Omit<PlainRule, 'before' | 'state'>, nowMs: number): void {
    if (this.rules.length === 0) this.inStream.clear();
    if (this.live && this.rules.every(({ state }) => state !== 'open')) this.cursorMs = nowMs;
    const ids = new Set([...this.seconds.keys(), ...this.stamps.keys()]);
    const before = new Map(
      [...ids].map((id) => [id, { stamps: this.stampsOf(id).length, seconds: this.seconds.get(id) ?? 0 }]),
    );
    this.rules.push({ ...rule, before, state: 'open' });
    this.evaluate(nowMs);
  }

  counted({ before }: PlainRule, id: string): number[] {
    return this.stampsOf(id).slice(before.get(id)?.stamps ?? 0);
  }

  have(rule: PlainRule, id: string): number {
    const counted = this.counted(rule, id);
    const { need, ofLast } = rule;
    if (ofLast === null) return counted.length;
    const lately = counted.filter((number) => number > this.number - ofLast).length;
    return this.attendedEnough(rule, id) ? Math.max(lately, need) : lately;
  }

  attendedEnough(rule: PlainRule, id: string): boolean {
    const { need, ofLast } = rule;
    return this.counted(rule, id).some((from, place, all) => {
      const to = all[place + need - 1];
      return to !== undefined && (ofLast === null || to - from < ofLast);
    });
  }

  evaluate(nowMs: number): void {
    for (const rule of this.rules.filter(({ state }) => state === 'open'))
      for (const id of this.verified) {
        const watched = (this.seconds.get(id) ?? 0) - (rule.before.get(id)?.seconds ?? 0);
        const isListed = this.qualified.some((line) => line.startsWith(`${rule.id} ${id} `));
        if (!isListed && watched >= rule.needSeconds && this.attendedEnough(rule, id))
          this.qualified.push(`${rule.id} ${id} ${nowMs}`);
      }
  }
}

class Run {
  readonly plain = new PlainChannel();
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
    if ('passMs' in each) this.nowMs += each.passMs;
    const { plain, db, nowMs } = this;
    const channelId = this.streamer.twitchId;
    const owner = { ownerId: this.streamer.userId, reason: 'operator' as const };
    if (each.kind === 'tick') {
      const ids = this.viewers.filter((_, bit) => (each.who >> bit) % 2 === 1).map((one) => one.twitchId);
      const facts = { streamId: `s${plain.id}`, ...(each.gap && { gapReason: 'notPolled' as const }) };
      await readChatters(db, channelId, ids, nowMs, facts);
      plain.tick(ids, each.gap, nowMs);
    } else if (each.kind === 'open') {
      const { need, spare, watches } = each;
      const asked = {
        watchMinutes: watches ? 3 : null,
        attendedStreams: need,
        ofLastStreams: spare === null ? null : need + spare,
      };
      const id = await addRule(db, this.streamer, { ...asked, rewards: 0, nowMs });
      plain.open({ id, need, ofLast: asked.ofLastStreams, needSeconds: watches ? 180 : 0 }, nowMs);
    } else if (each.kind === 'verify') {
      const { userId, twitchId } = this.viewers[each.viewer] as Person;
      if (plain.verified.has(twitchId)) return;
      await db.transaction(async (tx) => {
        await tx.update(users).set({ emailVerifiedAtMs: nowMs }).where(eq(users.id, userId));
        await evaluateViewer(tx, { twitchId }, nowMs);
      });
      plain.verified.add(twitchId);
      plain.evaluate(nowMs);
    } else if (each.kind === 'close') {
      const [rule] = plain.rules.splice(0, 1);
      if (rule) await closeRule(db, { ruleId: rule.id, userId: owner.ownerId }, nowMs);
    } else if (each.kind === 'pause') {
      await db.transaction((tx) => pauseRulesOf(tx, owner, nowMs));
      for (const rule of plain.rules) rule.state = 'paused';
    } else if (each.kind === 'resume') {
      await resumeRules(db, owner, nowMs);
      for (const rule of plain.rules) rule.state = 'open';
      plain.evaluate(nowMs);
    } else if (each.kind === 'off') {
      await goOff(db, channelId, nowMs);
      if (plain.live) plain.offMs = nowMs;
      plain.live = false;
    } else {
      if (each.kind === 'newStream') plain.id++;
      await goLive(db, channelId, nowMs, `s${plain.id}`);
      plain.begin(each.kind === 'live', nowMs);
    }
  }

  async compare(): Promise<void> {
    const { db, plain } = this;
    const rows = await db.read.select().from(stamps).orderBy(asc(stamps.number));
    const found = this.viewers.map((one) =>
      rows.filter((row) => row.twitchId === one.twitchId).map((row) => row.streamNumber),
    );
    expect(found, 'the stamps').toEqual(this.viewers.map((one) => plain.stampsOf(one.twitchId)));
    const totals = await db.read.select().from(attendances);
    for (const { twitchId, streams } of totals) expect(streams).toBe(plain.stampsOf(twitchId).length);
    const listed = await db.read.select().from(qualifications);
    const lines = listed.map((row) => `${row.ruleId} ${row.twitchId} ${row.qualifiedAtMs}`);
    expect(lines.sort(), 'who qualified, and when').toEqual([...plain.qualified].sort());
  }

  async compareProgress(): Promise<void> {
    const { db, plain } = this;
    const channelId = this.streamer.twitchId;
    const [channel] = await db.read.select().from(channels).where(eq(channels.id, channelId));
    expect(channel?.streamNumber).toBe(plain.number);
    for (const { twitchId } of this.viewers) {
      const shown = await progressOfViewer(db, { channelId, twitchId }, this.nowMs);
      for (const { ruleId, progress } of shown.ok ? shown.rules : []) {
        const rule = plain.rules.find(({ id }) => id === ruleId);
        if (rule)
          expect(progress.streams).toEqual({
            haveStreams: plain.have(rule, twitchId),
            needStreams: rule.need,
            ofLastStreams: rule.ofLast,
            met: plain.attendedEnough(rule, twitchId),
          });
      }
    }
  }
}

test('Whatever a channel does, everyone has the stamps of a plain channel and meets its rules', async () => {
  const property = fc.asyncProperty(steps, async (all) => {
    await using db = await openTestDatabase();
    const streamer = await addStreamer(db);
    const viewers: Person[] = [];
    for (let n = 0; n < 4; n++) viewers.push(await addPerson(db, { verified: n > 0 }));
    const run = new Run(db, streamer, viewers);
    for (const { twitchId } of viewers.slice(1)) run.plain.verified.add(twitchId);
    await goLive(db, streamer.twitchId, START_MS);
    for (const each of all) {
      await run.take(each);
      await run.compare();
    }
    await run.compareProgress();
  });
  await fc.assert(property, { numRuns: runs, seed, interruptAfterTimeLimit: 60_000 });
});
