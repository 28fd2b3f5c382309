import { and, eq, isNotNull } from 'drizzle-orm';
import { expect } from 'vitest';
import type { Database } from '#db/database.ts';
import { is, within } from '#db/dialect.ts';
import { redemptions } from '#db/schema/redemption.ts';
import { rewards } from '#db/schema/reward.ts';
import { liveRuleStates, rules } from '#db/schema/rule.ts';
import { transfers } from '#db/schema/transfer.ts';
import { checkClaim } from '#domain/claim/check-claim.ts';
import { listClaimsToCheck } from '#domain/claim/list-claims-to-check.ts';
import { hour } from '#domain/kernel/time.ts';
import { type LeasedRedemption, leaseRedemptions } from '#domain/redemption/lease-redemptions.ts';
import { beginCustomReward, confirmCustomReward } from '#domain/redemption/record-custom-reward.ts';
import { type ReportedRedemption, recordRedemption } from '#domain/redemption/record-redemption.ts';
import { statusOfSettlement, type TwitchRedemptionStatus } from '#domain/redemption/redemption-machine.ts';

interface Around {
  db: Database;
  nowMs: number;
}

/**
 * Twitch's queue of redemptions, the reports that reach us and their times, and the worker that settles them.
 */
export class SmallPoints {
  /** As on Twitch. Ended ones never change: Twitch refuses. */
  readonly queue: ReportedRedemption[] = [];
  readonly #around: Around;
  /** Leased by a worker that has not called Twitch yet; it may take its time. */
  #leased: LeasedRedemption[] = [];
  #systemMs = Date.now();

  constructor(around: Around) {
    this.#around = around;
  }

  /** A viewer spends points on a rule; whether we receive this at once depends. */
  async redeem(twitchId: string, a: number, receive: boolean): Promise<void> {
    const { db, nowMs } = this.#around;
    const known = await db.read
      .select()
      .from(rules)
      .where(and(isNotNull(rules.pointsCost), within(rules.state, liveRuleStates)));
    const rule = known[a % Math.max(1, known.length)];
    if (!rule) return;
    const twitchRewardId = `twitch-reward-of-${rule.id}`;
    if (await beginCustomReward(db, { ruleId: rule.id, channelId: rule.channelId }))
      await confirmCustomReward(db, { ruleId: rule.id, twitchRewardId, state: 'enabled' }, nowMs);
    const id = `redemption-${this.queue.length}`;
    this.queue.push({ id, twitchRewardId, twitchId, redeemedAtMs: nowMs, status: 'UNFULFILLED' });
    if (receive) await this.receive(this.queue.length - 1, false);
  }

  /** An event or a list reports a redemption, in its current or, if late, its first status. */
  async receive(n: number, late: boolean): Promise<void> {
    const reported = this.queue[n % Math.max(1, this.queue.length)];
    if (!reported) return;
    const status = late ? 'UNFULFILLED' : reported.status;
    await recordRedemption(this.#around.db, { ...reported, status }, this.#around.nowMs);
  }

  /** The streamer settles one by hand; we learn of it later. */
  byHand(n: number, keep: boolean): void {
    const open = this.queue.filter(({ status }) => status === 'UNFULFILLED');
    const one = open[n % Math.max(1, open.length)];
    if (one) one.status = keep ? 'FULFILLED' : 'CANCELED';
  }

  /** A worker leases due settlements; an hour later others may lease those that it has not reported. */
  async lease(max: number): Promise<void> {
    this.#systemMs += hour;
    this.#leased.push(...(await leaseRedemptions(this.#around.db, max, this.#systemMs)));
  }

  /** A worker sends a settlement to Twitch; the request or the answer may be lost. */
  async report(n: number, fate: 'told' | 'answerLost' | 'neverArrived'): Promise<void> {
    const place = n % Math.max(1, this.#leased.length);
    const [leased] = this.#leased.splice(place, 1);
    const one = this.queue.find(({ id }) => id === leased?.id);
    if (!leased || !one || fate === 'neverArrived') return;
    if (one.status === 'UNFULFILLED') one.status = statusOfSettlement[leased.settlement];
    if (fate === 'told') await this.receive(this.queue.indexOf(one), false);
  }

  /** A bot's queued claims whose points are still valid on Twitch. */
  async claimsThatHold(botId: string): Promise<string[]> {
    const { db, nowMs } = this.#around;
    const holding: string[] = [];
    for (const { transferId, checks } of await listClaimsToCheck(db.read, { botId }, nowMs)) {
      const status = checks.redemption && this.statusOf(checks.redemption.id);
      const reading = status ? { redemption: { status } } : {};
      if ((await checkClaim(db, { transferId, reading }, nowMs)) === 'met') holding.push(transferId);
    }
    return holding;
  }

  statusOf(id: string): TwitchRedemptionStatus {
    return this.queue.find((one) => one.id === id)?.status ?? 'UNFULFILLED';
  }

  /** Everything is received and settled, until nothing is left. */
  async settleAll(): Promise<void> {
    for (let round = 0; round < 3; round++) {
      for (const n of this.queue.keys()) await this.receive(n, false);
      await this.lease(1000);
      while (this.#leased.length > 0) await this.report(0, 'told');
    }
  }

  /** No promise without its points, no points without a promise or a refund, and one end at most. */
  async check(): Promise<void> {
    const q = this.#around.db.read;
    const all = await q.select().from(redemptions);
    const promised = await q
      .select({ reward: rewards })
      .from(rewards)
      .innerJoin(rules, and(eq(rules.id, rewards.ruleId), isNotNull(rules.pointsCost)))
      .where(isNotNull(rewards.twitchId));
    const promises = new Map(promised.map(({ reward }) => [reward.id, reward]));
    expect(all.flatMap(({ rewardId }) => rewardId ?? []).sort(), 'what was paid for').toEqual(
      [...promises.keys()].sort(),
    );
    for (const { id, rewardId, twitchId, state, settlement, refundReason } of all) {
      const reward = promises.get(rewardId ?? '');
      expect(reward?.twitchId ?? twitchId, 'who paid').toBe(twitchId);
      if (state !== 'open')
        expect(this.statusOf(id), 'an end that Twitch confirmed').toBe(
          state === 'fulfilled' ? 'FULFILLED' : 'CANCELED',
        );
      const standing = reward?.state ?? 'none';
      // A refund by hand cancels a running offer, unless the viewer is faster.
      const byHand = state === 'refunded' && refundReason === null ? ['reserved', 'claimed'] : [];
      if (state === 'refunded' && standing === 'reserved')
        expect(await this.#runsOn(rewardId ?? ''), 'an offer that nobody takes back').toBe(false);
      if (state === 'refunded') expect(['none', 'recalled', ...byHand], 'given back').toContain(standing);
      if (state === 'open' && settlement === 'refund') expect(['none', 'recalled']).toContain(standing);
      if (state === 'open' && settlement === 'fulfil') expect(standing).toBe('claimed');
      if (state === 'open' && settlement === null) expect(['promised', 'reserved']).toContain(standing);
      if (state !== 'open') expect(settlement, 'a settlement after the end').toBeNull();
    }
  }

  /** Returns whether a reward's offer is still running although it could be cancelled. */
  async #runsOn(rewardId: string): Promise<boolean> {
    const states = ['queued', 'sending', 'uncertain', 'unconfirmed', 'sent'] as const;
    const left = and(
      eq(transfers.rewardId, rewardId),
      within(transfers.state, states),
      eq(transfers.cancelWanted, false),
    );
    return (await this.#around.db.read.$count(transfers, left)) > 0;
  }

  /** Redemptions that should have ended and have not. */
  async unsettled(): Promise<string[]> {
    const open = await this.#around.db.read
      .select()
      .from(redemptions)
      .where(and(is(redemptions.state, 'open'), isNotNull(redemptions.settlement)));
    return open.map(({ id }) => id);
  }
}
