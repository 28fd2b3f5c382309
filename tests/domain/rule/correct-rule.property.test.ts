import { isDeepStrictEqual as isEqual } from 'node:util';
import { eq, isNotNull } from 'drizzle-orm';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Database } from '#db/database.ts';
import { isPostgres } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { rewards } from '#db/schema/reward.ts';
import { qualifications, rules } from '#db/schema/rule.ts';
import { conditionsOf } from '#domain/condition/conditions.ts';
import { newId } from '#domain/kernel/id.ts';
import { day, hour } from '#domain/kernel/time.ts';
import { applyCorrection } from '#domain/rule/apply-correction.ts';
import { attachRewards } from '#domain/rule/attach-rewards.ts';
import type { CorrectionRequest } from '#domain/rule/correct-rule.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { finishAllOpenings } from '#domain/rule/finish-all-openings.ts';
import { withOthers } from '#tests/support/crowd.ts';
import { openTestDatabase } from '#tests/support/database.ts';
import {
  addBot,
  addPerson,
  addRule,
  addStreamer,
  asset,
  deposit,
  type Person,
  START_MS,
} from '#tests/support/fixtures.ts';
import { recordFollows } from '#tests/support/follows.ts';
import { watchFor } from '#tests/support/watching.ts';

const runs = Number(process.env.PROPERTY_RUNS ?? (isPostgres ? 4 : 20));
const seed = Number(process.env.PROPERTY_SEED ?? 20_261_129);

const viewer = fc.nat(4);
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ verb: fc.constant('watch' as const), viewer, minutes: fc.nat(120) }) },
  { weight: 2, arbitrary: fc.record({ verb: fc.constant('follow' as const), viewer, days: fc.nat(9) }) },
  { weight: 3, arbitrary: fc.record({ verb: fc.constant('sweep' as const) }) },
  { weight: 2, arbitrary: fc.record({ verb: fc.constant('relink' as const), viewer, other: viewer }) },
  { weight: 3, arbitrary: fc.record({ verb: fc.constant('stock' as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      verb: fc.constant('correct' as const),
      /** Added to what is asked for: mostly less, now and then more or much more. */
      minutes: fc.oneof(
        { weight: 2, arbitrary: fc.integer({ min: -30, max: 8 }) },
        { weight: 1, arbitrary: fc.integer({ min: 20, max: 90 }) },
      ),
      days: fc.constantFrom(0, 0, 0, -1, 1),
      drops: fc.oneof(
        { weight: 11, arbitrary: fc.constant(null) },
        { weight: 1, arbitrary: fc.constantFrom('watchMinutes' as const, 'followDays' as const) },
      ),
      switches: fc.constantFrom(false, false, false, true),
      longerHours: fc.constantFrom(0, 1, 2, 3, -1),
      /** True if a harder rule may give a reward to whoever got one. */
      again: fc.constantFrom(false, false, false, true),
      /** The transaction after which the process is killed; 0 if it is not. */
      killedAfter: fc.constantFrom(0, 0, 1, 1, 1, 2, 3),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** Everything that a viewer of a rule could lose. */
interface Holdings {
  listed: Map<string, number>;
  waiting: Set<string>;
  windows: Map<string, number>;
  promises: (typeof rewards.$inferSelect)[];
}

async function holdingsOf(db: Database, ruleId: string): Promise<Holdings> {
  const places = await db.read.select().from(qualifications).where(eq(qualifications.ruleId, ruleId));
  const promises = await db.read.select().from(rewards).where(isNotNull(rewards.twitchId));
  const waiting = places.filter(({ promisedAtMs }) => promisedAtMs === null);
  return {
    listed: new Map(places.map(({ twitchId, qualifiedAtMs }) => [twitchId, qualifiedAtMs])),
    waiting: new Set(waiting.map(({ twitchId }) => twitchId)),
    windows: new Map(promises.map(({ id, claimUntilMs }) => [id, claimUntilMs ?? 0])),
    promises,
  };
}

/** A channel with a rule, and what its viewers did in plain numbers. */
class CorrectedRule {
  readonly db: Database;
  readonly streamer: Person;
  readonly viewers: Person[];
  /** The rule that is open: the last of those that took each other's place. */
  ruleId: string;
  /** The promises that were made in earlier steps. */
  readonly #seen = new Set<string>();
  readonly before = new Map<string, number>();
  readonly since = new Map<string, number>();
  readonly follows = new Map<string, number>();
  nowMs = START_MS;

  private constructor(streamer: Person, viewers: Person[], place: { db: Database; ruleId: string }) {
    this.streamer = streamer;
    this.viewers = viewers;
    this.db = place.db;
    this.ruleId = place.ruleId;
  }

  static async make(db: Database): Promise<CorrectedRule> {
    await addBot(db);
    const streamer = await addStreamer(db);
    const viewers: Person[] = [];
    for (let place = 0; place < 5; place++) viewers.push(await addPerson(db));
    const early = viewers.map(({ twitchId }, place) => [twitchId, place * 20 * 60] as const);
    await watchFor(db, streamer.twitchId, early);
    const ruleId = await addRule(db, streamer, {
      ...{ watchMinutes: 60, followDays: 2, rewards: 0, claimTimeoutHours: 72 },
    });
    const assets = Array.from({ length: 8 }, () => asset());
    await deposit(db, streamer, assets, START_MS - 8 * day);
    const world = new CorrectedRule(streamer, viewers, { db, ruleId });
    for (const [twitchId, seconds] of early) world.before.set(twitchId, seconds);
    // All but one have followed for a while.
    for (let place = 1; place < viewers.length; place++)
      await world.do({ verb: 'follow', viewer: place, days: place });
    return world;
  }

  async rule() {
    const [rule] = await this.db.read.select().from(rules).where(eq(rules.id, this.ruleId));
    return rule as typeof rules.$inferSelect;
  }

  /** The seconds and days that a viewer has yet to go. */
  left(
    twitchId: string,
    asked: Awaited<ReturnType<CorrectedRule['rule']>>,
  ): { seconds: number; days: number } {
    const earlier = asked.watchScope === 'allTime' ? (this.before.get(twitchId) ?? 0) : 0;
    const watched = (this.since.get(twitchId) ?? 0) + earlier;
    const followed = (this.nowMs - (this.follows.get(twitchId) ?? this.nowMs)) / day;
    return {
      seconds: Math.max(0, (asked.watchMinutes ?? 0) * 60 - watched),
      days: Math.max(0, (asked.followDays ?? 0) - followed),
    };
  }

  meets(twitchId: string, asked: Awaited<ReturnType<CorrectedRule['rule']>>): boolean {
    const earlier = asked.watchScope === 'allTime' ? (this.before.get(twitchId) ?? 0) : 0;
    const watched = (this.since.get(twitchId) ?? 0) + earlier;
    const followedAtMs = this.follows.get(twitchId) ?? Number.POSITIVE_INFINITY;
    return (
      (asked.watchMinutes === null || watched >= asked.watchMinutes * 60) &&
      (asked.followDays === null || followedAtMs <= this.nowMs - asked.followDays * day)
    );
  }

  person = (place: number) => this.viewers[place] as Person;

  async do(asked: Step): Promise<void> {
    const { db } = this;
    const channelId = this.streamer.twitchId;
    this.nowMs += 1;
    if (asked.verb === 'watch') {
      const { twitchId } = this.person(asked.viewer);
      await watchFor(db, channelId, [[twitchId, asked.minutes * 60]]);
      this.since.set(twitchId, (this.since.get(twitchId) ?? 0) + asked.minutes * 60);
    } else if (asked.verb === 'follow') {
      const { twitchId } = this.person(asked.viewer);
      if (this.follows.has(twitchId)) return;
      const followedAtMs = this.nowMs - asked.days * day;
      await recordFollows(db, { channelId, followers: [{ twitchId, followedAtMs }], complete: false });
      this.follows.set(twitchId, followedAtMs);
    } else if (asked.verb === 'sweep') await evaluateChannel(db, channelId, this.nowMs);
    else if (asked.verb === 'relink') await this.#swap(this.person(asked.viewer), this.person(asked.other));
    else if (asked.verb === 'stock') await this.#stock();
    else await this.#correct(asked);
  }

  /** Adds a reward, as long as there are items. Before the first one, whoever meets the rule waits. */
  async #stock(): Promise<void> {
    const { ruleId, streamer, nowMs } = this;
    const kinds = [{ appId: 730, marketHashName: 'Demo case', quantity: 1 }];
    await attachRewards(this.db, { ruleId, userId: streamer.userId, kinds }, nowMs);
  }

  /** Lets two accounts exchange their Twitch accounts, as somebody does who wants a second reward. */
  async #swap(one: Person, other: Person): Promise<void> {
    if (one.twitchId === other.twitchId) return;
    const [mine, theirs] = [await this.#userOf(one.twitchId), await this.#userOf(other.twitchId)];
    await this.db.transaction(async (tx) => {
      const link = (twitchId: string, userId: string) =>
        tx.update(twitchAccounts).set({ userId }).where(eq(twitchAccounts.twitchId, twitchId));
      const rows = await tx.select().from(twitchAccounts).where(eq(twitchAccounts.twitchId, other.twitchId));
      await tx.delete(twitchAccounts).where(eq(twitchAccounts.twitchId, other.twitchId));
      await link(one.twitchId, theirs);
      for (const row of rows) await tx.insert(twitchAccounts).values({ ...row, userId: mine });
    });
  }

  async #userOf(twitchId: string): Promise<string> {
    const [row] = await this.db.read
      .select({ userId: twitchAccounts.userId })
      .from(twitchAccounts)
      .where(eq(twitchAccounts.twitchId, twitchId));
    return row?.userId ?? '';
  }

  async #correct(change: Extract<Step, { verb: 'correct' }>): Promise<void> {
    const rule = await this.rule();
    const { longerHours, drops } = change;
    const claimTimeoutHours = rule.claimTimeoutHours + longerHours;
    const others = { sinceRule: 'allTime', allTime: 'sinceRule' } as const;
    const moved = (value: number | null, by: number) => (value === null ? null : Math.max(1, value + by));
    const conditions = {
      watchMinutes: moved(rule.watchMinutes, change.minutes),
      followDays: moved(rule.followDays, change.days),
      watchScope: change.switches ? others[rule.watchScope] : rule.watchScope,
      ...(drops && { [drops]: null }),
    };
    const before = this.#standing(rule);
    const had = await holdingsOf(this.db, this.ruleId);
    const request = {
      requestId: newId(this.nowMs),
      ruleId: this.ruleId,
      userId: this.streamer.userId,
      wanted: { ...rule, ...conditions, claimTimeoutHours },
    };
    const isPromised = had.promises.some(({ ruleId }) => ruleId === rule.id);
    const outcome = await this.#surviving(change, (db) =>
      applyCorrection(db, { ...request, mode: 'correct', again: false }, this.nowMs),
    );
    if (!outcome.ok && outcome.code === 'ruleHarder') return this.#succeed(request, change);
    const corrected = await this.rule();
    const has = await holdingsOf(this.db, this.ruleId);
    if (outcome.ok && rule.watchScope === 'allTime' && corrected.watchScope === 'sinceRule')
      this.#countAnew();
    for (const [twitchId, sinceMs] of had.listed)
      if (this.meets(twitchId, corrected)) expect(has.listed.get(twitchId), 'a place in line').toBe(sinceMs);
    const longerMs = outcome.ok ? Math.max(0, longerHours) * hour : 0;
    for (const { id, ruleId } of had.promises)
      expect(has.windows.get(id), 'a claim window').toBe(
        (had.windows.get(id) ?? 0) + (ruleId === rule.id ? longerMs : 0),
      );
    if (isPromised) this.#lostNothing(before, corrected);
    if (!outcome.ok) return expect(corrected).toEqual(rule);
    // The hourly sweep finds whoever meets it by nothing but time.
    if (isEqual(conditionsOf(corrected), conditionsOf(rule))) return;
    for (const { twitchId } of this.viewers)
      if (this.meets(twitchId, corrected)) expect(has.listed.has(twitchId), 'met and not listed').toBe(true);
  }

  /**
   * Does it with a process that may be killed in between. Then somebody adds a reward, which is served at once, before
   * the bot finishes what was begun and the request is repeated.
   */
  async #surviving<T>(
    { killedAfter }: { killedAfter: number },
    act: (db: Database) => Promise<T>,
    begun = async () => {},
  ): Promise<T> {
    const dying = withOthers(this.db, async (nth) => {
      if (nth === killedAfter) throw new Error('killed');
    });
    try {
      return await act(dying);
    } catch (error) {
      if ((error as Error).message !== 'killed') throw error;
      await begun();
      await this.#stock();
      await this.check();
      await finishAllOpenings(this.db, this.nowMs);
      await this.check();
      return act(this.db);
    }
  }

  async #succeed(request: CorrectionRequest, change: { again: boolean; killedAfter: number }): Promise<void> {
    const { again } = change;
    const had = await holdingsOf(this.db, this.ruleId);
    const rule = await this.rule();
    const outcome = await this.#surviving(
      change,
      (db) => applyCorrection(db, { ...request, mode: 'succeed', again }, this.nowMs),
      async () => {
        this.ruleId = request.requestId;
      },
    );
    if (!outcome.ok) throw new Error(outcome.code);
    this.ruleId = outcome.ruleId;

    const next = await this.rule();
    if (rule.watchScope === 'allTime' && next.watchScope === 'sinceRule') this.#countAnew();
    const has = await holdingsOf(this.db, this.ruleId);
    for (const [id, untilMs] of had.windows) expect(has.windows.get(id), 'a claim window').toBe(untilMs);
    for (const [twitchId, sinceMs] of had.listed)
      if (this.meets(twitchId, next) && (had.waiting.has(twitchId) || !again))
        expect(has.listed.get(twitchId), 'a place in line').toBe(sinceMs);
    for (const { twitchId } of this.viewers)
      if (this.meets(twitchId, next)) expect(has.listed.has(twitchId), 'met and not listed').toBe(true);
  }

  /** Compares each viewer with the rule: whether they meet it, and what they have yet to do. */
  #standing(rule: Awaited<ReturnType<CorrectedRule['rule']>>) {
    return this.viewers.map(({ twitchId }) => ({
      met: this.meets(twitchId, rule),
      ...this.left(twitchId, rule),
    }));
  }

  #lostNothing(
    before: readonly ({ met: boolean } & ReturnType<CorrectedRule['left']>)[],
    corrected: Awaited<ReturnType<CorrectedRule['rule']>>,
  ): void {
    for (const [place, after] of this.#standing(corrected).entries()) {
      const { met, seconds, days } = before[place] ?? after;
      expect(after.met || !met, 'met before and no longer').toBe(true);
      expect(after.seconds, 'seconds to go').toBeLessThanOrEqual(seconds);
      expect(after.days, 'days to go').toBeLessThanOrEqual(days);
    }
  }

  /** From now on only what is watched from now on counts. */
  #countAnew(): void {
    for (const { twitchId } of this.viewers) {
      this.before.set(twitchId, (this.before.get(twitchId) ?? 0) + (this.since.get(twitchId) ?? 0));
      this.since.set(twitchId, 0);
    }
  }

  async check(): Promise<void> {
    const { promises, waiting } = await holdingsOf(this.db, this.ruleId);
    for (const key of ['userId', 'twitchId'] as const) {
      const all = promises.map((promise) => `${promise.lineId ?? promise.ruleId} ${promise[key]}`);
      expect(new Set(all).size, `promises of a line to one ${key}`).toBe(all.length);
    }
    const corrected = await this.rule();
    for (const { id, twitchId } of promises.filter((each) => !this.#seen.has(each.id))) {
      expect(this.meets(twitchId ?? '', corrected), 'promised and not met').toBe(true);
      this.#seen.add(id);
    }
    // Until its list is checked, a rule promises nothing.
    if (corrected.checkAfter !== null) return;
    for (const twitchId of waiting) expect(this.meets(twitchId, corrected), 'in line and not met').toBe(true);
  }
}

test('However a rule is corrected or succeeded, nobody loses anything or is promised a second reward', async () => {
  const property = fc.asyncProperty(
    fc.array(step, { minLength: 25, maxLength: 40, size: 'max' }),
    async (steps) => {
      await using db = await openTestDatabase();
      const world = await CorrectedRule.make(db);
      for (const each of steps) {
        await world.do(each);
        await world.check();
      }
    },
  );
  await fc.assert(property, { numRuns: runs, seed, interruptAfterTimeLimit: 60_000 });
});
