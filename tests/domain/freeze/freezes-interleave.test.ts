import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isPostgres } from '#db/dialect.ts';
import { rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { transfers } from '#db/schema/transfer.ts';
import { recordHeartbeat } from '#domain/bot/record-heartbeat.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { withdrawFrozen } from '#domain/freeze/frozen-transfers.ts';
import { hour } from '#domain/kernel/time.ts';
import { expirePromises } from '#domain/reward/expire-promises.ts';
import { listTransfersToCancel, listTransfersToConfirm } from '#domain/transfer/list-bot-transfers.ts';
import { reportTransfer } from '#domain/transfer/report-transfer.ts';
import { openTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import {
  acceptOffer,
  addBot,
  addPerson,
  addStreamer,
  START_MS,
  sendQueued,
} from '#tests/support/fixtures.ts';
import { disown, endFreezeOf } from '#tests/support/freezing.ts';
import { checkInvariants } from '#tests/support/invariants.ts';
import { assetsIn } from '#tests/support/looking.ts';
import { promiseTo } from '#tests/support/promises.ts';

const runs = Number(process.env.PROPERTY_RUNS ?? (isPostgres ? 2 : 12));
/** Looking at everything takes PostgreSQL in this process about a second. */
const stepsPerCheck = isPostgres ? 6 : 1;
const seed = Number(process.env.PROPERTY_SEED ?? 20_261_128);

const WINDOW_HOURS = 6;
/** Two rules of one streamer, with as many rewards; their viewers wait for rewards that the others leave. */
const VIEWERS = [2, 3];

const verbs = ['claim', 'send', 'accept', 'cancel', 'freeze', 'endFreeze', 'expire', 'pass'] as const;
const step = fc.record({ verb: fc.constantFrom(...verbs), n: fc.nat(20) });

/** One streamer, promises on two rules, and when each rule was frozen. */
class World {
  nowMs = START_MS;
  /** Each passage of time in which a rule was frozen: from when, and for how long. */
  readonly frozen: { ruleId: string; fromMs: number; lastedMs: number }[] = [];
  readonly db: TestDatabase;
  streamer!: Awaited<ReturnType<typeof addStreamer>>;
  botId = '';

  constructor(db: TestDatabase) {
    this.db = db;
  }

  async setUp(): Promise<void> {
    this.botId = await addBot(this.db);
    this.streamer = await addStreamer(this.db);
    for (const [place, amount] of VIEWERS.entries()) {
      const viewers = await Promise.all(Array.from({ length: amount }, () => addPerson(this.db)));
      const facts = { name: `Rule ${place}`, claimTimeoutHours: WINDOW_HOURS, nowMs: START_MS };
      await promiseTo(this.db, this.streamer, viewers, facts);
    }
    await recordHeartbeat(this.db, this.botId, { systemMs: Date.now(), nowMs: START_MS });
  }

  rules = () => this.db.read.select().from(rules);
  rewards = async () =>
    (await this.db.read.select().from(rewards)).filter(({ twitchId }) => twitchId !== null);
  transfersIn = async (state: string) =>
    (await this.db.read.select().from(transfers)).filter(
      (each) => each.kind === 'claim' && each.state === state,
    );

  async isFrozen(ruleId: string): Promise<boolean> {
    return (await this.rules()).some(({ id, frozenAtMs }) => id === ruleId && frozenAtMs !== null);
  }

  async pass(hours: number): Promise<void> {
    for (const { id, frozenAtMs } of await this.rules())
      if (frozenAtMs !== null) this.frozen.push({ ruleId: id, fromMs: this.nowMs, lastedMs: hours * hour });
    this.nowMs += hours * hour;
  }

  /**
   * Returns when a promise ends at the earliest: the time for which its rule was frozen since then does not
   * count.
   */
  earliestEndMs({ ruleId, promisedAtMs }: { ruleId: string; promisedAtMs: number | null }): number {
    const sinceMs = promisedAtMs ?? 0;
    const since = this.frozen.filter((each) => each.ruleId === ruleId && each.fromMs >= sinceMs);
    return sinceMs + WINDOW_HOURS * hour + since.reduce((sum, { lastedMs }) => sum + lastedMs, 0);
  }

  readonly verbs: Record<(typeof verbs)[number], (n: number) => Promise<unknown>> = {
    claim: async (n) => {
      const all = await this.rewards();
      const reward = all[n % all.length]!;
      const { id: rewardId, userId, ruleId, state } = reward;
      const claimed = await claimReward(this.db, { rewardId, userId: userId! }, this.nowMs);
      if (state !== 'promised') return;
      if (await this.isFrozen(ruleId)) expect(claimed).toEqual({ ok: false, code: 'claimFrozen' });
      else if (this.nowMs < this.earliestEndMs(reward)) expect(claimed).toMatchObject({ ok: true });
    },
    send: async () => {
      const frozen = new Set<string>();
      for (const { id } of await this.rules()) if (await this.isFrozen(id)) frozen.add(id);
      const sent = new Set((await sendQueued(this.db, this.nowMs)).map(({ id }) => id));
      const ruleOf = new Map((await this.rewards()).map(({ id, ruleId }) => [id, ruleId]));
      for (const { id, rewardId } of await this.transfersIn('sent'))
        if (sent.has(id)) expect(frozen.has(ruleOf.get(rewardId ?? '') ?? '')).toBe(false);
      expect(await listTransfersToConfirm(this.db.read, { botId: this.botId })).toEqual([]);
    },
    accept: async (n) => {
      const open = await this.transfersIn('sent');
      const offer = open[n % Math.max(1, open.length)];
      if (offer) await acceptOffer(this.db, offer.id, await assetsIn(this.db, offer.id), this.nowMs);
    },
    cancel: async () => {
      await withdrawFrozen(this.db, this, this.nowMs);
      for (const { id } of await listTransfersToCancel(this.db.read, this, this.nowMs))
        await reportTransfer(this.db, id, { event: 'cancelled' }, this.nowMs);
      for (const { rewardId } of await this.transfersIn('sent')) {
        const reward = (await this.rewards()).find(({ id }) => id === rewardId);
        expect(await this.isFrozen(reward!.ruleId), 'an open offer of a frozen rule').toBe(false);
      }
    },
    freeze: () => disown(this.db, this.streamer, START_MS, this.nowMs),
    endFreeze: () => endFreezeOf(this.db, this.streamer, 'goOn', this.nowMs),
    expire: () => expirePromises(this.db, this.nowMs, Date.now()),
    pass: (n) => this.pass(1 + (n % 5)),
  };

  /** Nobody's promise ended too soon, and each that goes on has at least the time that was promised. */
  async check(): Promise<void> {
    const frozen = new Map((await this.rules()).map(({ id, frozenAtMs }) => [id, frozenAtMs]));
    for (const reward of await this.rewards()) {
      const { ruleId, state, recallReason, claimUntilMs } = reward;
      if (state === 'recalled') {
        expect(recallReason).toBe('timedOut');
        expect(this.nowMs, 'a promise that timed out').toBeGreaterThanOrEqual(this.earliestEndMs(reward));
      }
      if (state !== 'promised' && state !== 'reserved') continue;
      const stillMs = this.nowMs - (frozen.get(ruleId) ?? this.nowMs);
      expect(claimUntilMs! + stillMs).toBeGreaterThanOrEqual(this.earliestEndMs(reward));
    }
    const received = new Map([[this.streamer.userId, VIEWERS.reduce((sum, each) => sum + each, 0)]]);
    await checkInvariants(this.db, this.nowMs, received);
  }
}

test('However freezes, claims, expiries and ends of freezes interleave, nothing is lost and no time either', async () => {
  const seen: Record<string, number> = {};
  const property = fc.asyncProperty(
    fc.array(step, { minLength: 20, maxLength: 50, size: 'max' }),
    async (steps) => {
      await using db = await openTestDatabase();
      const world = new World(db);
      await world.setUp();
      for (const [place, { verb, n }] of steps.entries()) {
        await world.verbs[verb](n);
        if (place % stepsPerCheck === 0) await world.check();
      }
      await world.verbs.endFreeze(0);
      await world.verbs.cancel(0);
      await world.verbs.send(0);
      // A reward that one viewer leaves goes to the next, of whom there are five.
      for (let round = 0; round < VIEWERS.length * 5 + 1; round++) {
        await world.pass(1000);
        await world.verbs.cancel(0);
        await world.verbs.expire(0);
      }
      await world.check();
      for (const { state } of await world.rewards()) {
        expect(['claimed', 'recalled'], 'nothing stays promised').toContain(state);
        seen[state] = (seen[state] ?? 0) + 1;
      }
    },
  );
  await fc.assert(property, { numRuns: runs, seed, interruptAfterTimeLimit: 60_000 });
  // Two histories need not contain both ends.
  if (!isPostgres) expect(Object.keys(seen).sort()).toEqual(['claimed', 'recalled']);
});
