import { eq, sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import type { Database, Tx } from '#db/database.ts';
import { isPostgres } from '#db/dialect.ts';
import { channels, watchDays, watchTimes } from '#db/schema/channel.ts';
import { qualifications, type WatchScope } from '#db/schema/rule.ts';
import { type Accrued, accrueWatchTimes } from '#domain/audience/accrue-watch-time.ts';
import { eraseViewerRecords } from '#domain/condition/conditions.ts';
import { day, hour, minute, second } from '#domain/kernel/time.ts';
import { pauseRulesOf } from '#domain/rule/pause-rules.ts';
import type { Remembered } from '#domain/watch-time/present-viewers.ts';
import { rollUpChannels } from '#domain/watch-time/roll-up-channels.ts';
import { type Random, randomOf } from '#tests/bot/twitch/generated-day.ts';
import { ModelledChannel, type Reading } from '#tests/domain/audience/watching-model.ts';
import { openTestDatabase } from '#tests/support/database.ts';
import { addPerson, addRule, addStreamer, type Person, START_MS } from '#tests/support/fixtures.ts';
import { resumeRules } from '#tests/support/resuming.ts';
import { goLive, goOff } from '#tests/support/stream.ts';
import { watchedRows } from '#tests/support/watched.ts';

const lives = isPostgres ? 1 : 3;
const STEPS = 120;
const [CHANNELS, REGISTERED, OTHERS] = [3, 4, 5];
/** The day ends after a quarter of an hour. */
const BEGIN_MS = START_MS + 11 * hour + 45 * minute;

/** The database as a process sees it that ends at its nth transaction: before the commit, or before it hears of it. */
function dying(db: Database, nth: number, isLost: boolean): Database {
  let left = nth;
  const transaction = async (decide: (tx: Tx) => unknown, options?: object) => {
    left -= 1;
    if (left > 0) return db.transaction(decide as never, options);
    if (left < 0) throw new Error('killed');
    await db.transaction(async (tx) => {
      await decide(tx);
      if (!isLost) throw new Error('killed');
    }, options);
    throw new Error('killed');
  };
  return { ...db, transaction: transaction as never };
}

/** Credits readings, and throws only when nothing of them is under way any more. */
async function creditAll(...given: Parameters<typeof accrueWatchTimes>): Promise<Accrued[]> {
  const settled = await Promise.allSettled(await accrueWatchTimes(...given));
  return settled.map((one) => {
    if (one.status === 'rejected') throw one.reason;
    return one.value;
  });
}

interface Modelled {
  owner: Person;
  model: ModelledChannel;
  chat: Set<string>;
  streams: number;
  /** True if a process died that may have left somebody to be evaluated at the next reading that counts. */
  isBehind: boolean;
}

/** Some channels with a model of each, and what two processes remember of them. */
class World {
  nowMs = BEGIN_MS;
  readonly channels: Modelled[] = [];
  readonly people: string[] = [];
  readonly processes: Remembered[] = [new Map(), new Map()];
  readonly db: Database;
  readonly random: Random;
  constructor(db: Database, random: Random) {
    this.db = db;
    this.random = random;
  }

  chance = (share: number) => this.random() < share;
  pick = <T>(from: readonly T[]): T => from[Math.floor(this.random() * from.length)] as T;

  async prepare(): Promise<void> {
    for (let n = 0; n < REGISTERED; n++) this.people.push((await addPerson(this.db)).twitchId);
    const registered = new Set(this.people);
    for (let n = 0; n < OTHERS; n++) this.people.push(String(70_001 + 7 * n));
    for (let n = 0; n < CHANNELS; n++) {
      const owner = await addStreamer(this.db);
      this.channels.push({
        owner,
        model: new ModelledChannel(registered),
        chat: new Set(),
        streams: 1,
        isBehind: false,
      });
      await this.#openRule(this.channels[n] as Modelled);
    }
  }

  /** One step of the channels' lives, whose readings are compared with the models. */
  async step(): Promise<void> {
    this.nowMs += second + Math.floor(this.random() * 40 * second);
    if (this.chance(0.02))
      this.nowMs += this.pick([-200 * second, -30 * second, 100 * second, hour, day - hour, 2 * day]);
    for (const { chat } of this.channels)
      for (const id of this.people) if (this.chance(0.07)) chat.delete(id) || chat.add(id);
    const one = this.pick(this.channels);
    await this.#live(one);
    if (this.chance(0.05)) await this.#openRule(one);
    if (this.chance(0.03)) await this.#pauseAndResume(one);
    if (this.chance(0.03)) await this.erase(this.pick(this.people));
    if (this.chance(0.03)) await rollUpChannels(this.db, this.nowMs);
    await this.#takeFacts();
    await this.#read(this.chance(0.4) ? [one] : this.channels.filter(() => this.chance(0.7)));
  }

  /** The streams are recorded by verbs of their own: the models take their word for them. */
  async #takeFacts(): Promise<void> {
    for (const { owner, model } of this.channels) {
      const [row] = await this.db.read.select().from(channels).where(eq(channels.id, owner.twitchId));
      const { streamId, live, wentOfflineAtMs, watchedUntilMs, rolledUpToMs } = row!;
      model.facts = { streamId, live, wentOfflineAtMs, watchedUntilMs, rolledUpToMs };
    }
  }

  async #live({ owner, model, streams }: Modelled): Promise<void> {
    const one = this.channels.find((each) => each.owner === owner) as Modelled;
    if (model.facts.live && this.chance(0.06)) await goOff(this.db, owner.twitchId, this.nowMs);
    else if (!model.facts.live && this.chance(0.5)) {
      one.streams = this.chance(0.5) ? streams : streams + 1;
      await goLive(this.db, owner.twitchId, this.nowMs, `s${one.streams}`);
    }
  }

  async #openRule({ owner, model }: Modelled): Promise<void> {
    const watchMinutes = 1 + Math.floor(this.random() * 30);
    const watchScope = this.pick<WatchScope>(['sinceRule', 'allTime']);
    const ruleId = await addRule(this.db, owner, { watchMinutes, watchScope, rewards: 0, nowMs: this.nowMs });
    model.open(ruleId, watchMinutes * 60, watchScope === 'sinceRule');
  }

  async #pauseAndResume({ owner, model }: Modelled): Promise<void> {
    const at = { ownerId: owner.userId, reason: 'operator' as const };
    await this.db.transaction((tx) => pauseRulesOf(tx, at, this.nowMs));
    model.pause(true);
    await this.#takeFacts();
    await this.#read([this.channels.find((each) => each.owner === owner) as Modelled]);
    await resumeRules(this.db, at, this.nowMs);
    model.pause(false);
  }

  async erase(id: string): Promise<void> {
    await this.db.transaction((tx) => eraseViewerRecords(tx, id));
    for (const { model } of this.channels) model.erase(id);
  }

  /** A process reads some channels, now and then two at once, and now and then it ends while it does. */
  async #read(some: readonly Modelled[]): Promise<void> {
    if (some.length === 0) return;
    const readings = some.map(({ owner, model, chat }) => ({
      channelId: owner.twitchId,
      streamId: model.facts.streamId ?? 's1',
      twitchIds: [...chat],
      isGap: this.chance(0.06),
      nowMs: this.nowMs,
    }));
    for (const place of this.chance(0.1) ? [0, 1] : [Math.floor(this.random() * 2)]) {
      const isKilled = this.chance(0.2);
      const store = isKilled ? dying(this.db, 1 + Math.floor(this.random() * 3), this.chance(0.5)) : this.db;
      const timed = readings.map(({ isGap, twitchIds, nowMs, ...reading }) => ({
        reading: {
          ...reading,
          twitchIds: new Set(twitchIds),
          ...(isGap && { gapReason: 'notPolled' as const }),
        },
        nowMs,
      }));
      const accrued = await creditAll(store, timed, this.processes[place]).catch((error: Error) => {
        if (error.message !== 'killed') throw error;
        // Some that seem to have died only lost the connection, and still remember.
        if (this.chance(0.5)) this.processes[place]?.clear();
        return null;
      });
      for (const [at, reading] of readings.entries())
        await this.#follow(some[at] as Modelled, reading, accrued && (accrued[at] as Accrued));
    }
  }

  /** The model decides by itself what a reading comes to; only if its process died, the cursor tells how far it came. */
  async #follow(one: Modelled, reading: Reading & { channelId: string }, accrued: Accrued | null) {
    const [row] = await this.db.read
      .select({ untilMs: channels.watchedUntilMs })
      .from(channels)
      .where(eq(channels.id, reading.channelId));
    const reachedMs = row?.untilMs ?? null;
    if (accrued === null) {
      one.isBehind = true;
      return one.model.read(reading, reachedMs);
    }
    if (accrued.seconds > 0) one.isBehind = false;
    expect(accrued.seconds).toBe(one.model.read(reading));
    expect(reachedMs).toBe(one.model.facts.watchedUntilMs);
  }

  /** Compares everybody's totals, days, presence and last counted moment. Returns the number of values. */
  async compare(): Promise<number> {
    const [wanted, found] = [new Map<string, number>(), new Map<string, number>()];
    for (const { owner, model } of this.channels) {
      const of = (what: string, key: string) => `${owner.twitchId} ${what} ${key}`;
      for (const [id, seconds] of model.seconds) wanted.set(of('seconds', id), seconds);
      for (const [key, seconds] of model.days) wanted.set(of('day', key), seconds);
      for (const [id, atMs] of model.lastCountedMs) wanted.set(of('counted', id), atMs);
      for (const id of model.present) wanted.set(of('present', id), 1);
    }
    const opened = new Map(
      this.channels.map(({ owner, model }) => [owner.twitchId, model.facts.rolledUpToMs]),
    );
    for (const row of await watchedRows(this.db.read)) {
      const { channelId, twitchId, seconds, rolledSeconds, countedUntilMs, since } = row;
      found.set(`${channelId} seconds ${twitchId}`, seconds);
      if (countedUntilMs !== null) found.set(`${channelId} counted ${twitchId}`, countedUntilMs);
      if (since !== null) found.set(`${channelId} present ${twitchId}`, 1);
      const unrolled = seconds - rolledSeconds;
      if (unrolled !== 0) found.set(`${channelId} day ${opened.get(channelId)} ${twitchId}`, unrolled);
    }
    for (const { channelId, dayMs, twitchId, seconds } of await this.db.read.select().from(watchDays)) {
      const key = `${channelId} day ${dayMs} ${twitchId}`;
      found.set(key, (found.get(key) ?? 0) + seconds);
    }
    for (const { model, isBehind } of this.channels)
      if (!isBehind) for (const key of model.qualified) wanted.set(`qualified ${key}`, 1);
    const mayHaveMet = new Set(this.channels.flatMap(({ model }) => [...model.qualified]));
    for (const { ruleId, twitchId } of await this.db.read.select().from(qualifications)) {
      const key = `${ruleId} ${twitchId}`;
      found.set(`qualified ${key}`, 1);
      if (mayHaveMet.has(key)) wanted.set(`qualified ${key}`, 1);
    }
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(wanted));
    return wanted.size;
  }

  /** Once all that was interrupted is done, the same viewers meet the same rules. */
  async settle(): Promise<void> {
    for (const one of this.channels) {
      one.chat = new Set(this.people);
      await goLive(this.db, one.owner.twitchId, this.nowMs, 'last');
    }
    await this.#takeFacts();
    this.nowMs += minute;
    this.chance = () => false;
    await this.#read(this.channels);
    for (const one of this.channels) one.isBehind = false;
  }
}

/** Lives through some steps; `fault` does something wrong after each of the later ones. */
async function live(seed: number, fault?: (world: World) => Promise<unknown>): Promise<number> {
  await using db = await openTestDatabase();
  const world = new World(db, randomOf(seed));
  await world.prepare();
  let compared = 0;
  for (let step = 0; step < STEPS; step++) {
    await world.step();
    compared += await world.compare();
    if (step > STEPS / 4) await fault?.(world);
  }
  await world.settle();
  return compared + (await world.compare());
}

test('Whatever channels live through, everyone has what each reading would have credited to them', async () => {
  let compared = 0;
  for (let seed = 1; seed <= lives; seed++) compared += await live(seed);
  expect(compared).toBeGreaterThan(lives * STEPS * 20);
});

const inStore = (world: World, write: (tx: Tx) => unknown) =>
  world.db.transaction(async (tx) => {
    await write(tx);
  });
const present = sql`${watchTimes.since} is not null`;

test.each<[string, (world: World) => Promise<unknown>]>([
  [
    'somebody came a second later',
    (world) =>
      inStore(world, (tx) =>
        tx
          .update(watchTimes)
          .set({ since: sql`${watchTimes.since} + 1` })
          .where(present),
      ),
  ],
  [
    'somebody left without what they watched',
    (world) =>
      inStore(world, (tx) => tx.update(watchTimes).set({ since: null, crossAt: null }).where(present)),
  ],
  [
    'a clock went on by itself',
    (world) => inStore(world, (tx) => tx.update(channels).set({ counted: sql`${channels.counted} + 1` })),
  ],
  [
    'a process remembers nobody',
    async ({ processes }) => {
      for (const known of processes) for (const one of known.values()) one.twitchIds = '';
    },
  ],
  [
    'an account was deleted, and no process told',
    async (world) => {
      const versions = await world.db.read
        .select({ id: channels.id, version: channels.version })
        .from(channels);
      for (const id of world.people) await world.erase(id);
      await inStore(world, async (tx) => {
        for (const { id, version } of versions)
          await tx.update(channels).set({ version }).where(eq(channels.id, id));
      });
    },
  ],
  [
    'who is due is not found',
    (world) => inStore(world, (tx) => tx.update(watchTimes).set({ crossAt: 2 ** 52 })),
  ],
])('It is noticed if %s', async (_, fault) => {
  await expect(live(1, fault)).rejects.toThrow('deeply equal');
});
