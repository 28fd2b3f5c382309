import { and, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { is, within } from '#db/dialect.ts';
import { items } from '#db/schema/item.ts';
import { rewards, stopReasons } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { type TransferState, transferItems, transfers } from '#db/schema/transfer.ts';
import { accrueWatchTime } from '#domain/audience/accrue-watch-time.ts';
import { recordHeartbeat } from '#domain/bot/record-heartbeat.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { stopClaim } from '#domain/claim/stop-claim.ts';
import { reconcileItems } from '#domain/custody/reconcile-items.ts';
import { withdrawFrozen } from '#domain/freeze/frozen-transfers.ts';
import { newId } from '#domain/kernel/id.ts';
import { day, hour, minute } from '#domain/kernel/time.ts';
import { expirePromises } from '#domain/reward/expire-promises.ts';
import { attachRewards } from '#domain/rule/attach-rewards.ts';
import { closeRule } from '#domain/rule/close-rule.ts';
import { createRule } from '#domain/rule/create-rule.ts';
import { detachRewards } from '#domain/rule/detach-rewards.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { pauseRulesOf } from '#domain/rule/pause-rules.ts';
import { setKindWeights } from '#domain/rule/set-kind-weights.ts';
import { cancelTransfer } from '#domain/transfer/cancel-transfer.ts';
import { leaseTransfers } from '#domain/transfer/lease-transfers.ts';
import { markLostSendingsUncertain } from '#domain/transfer/mark-lost-sendings-uncertain.ts';
import { reportAbsence } from '#domain/transfer/report-absence.ts';
import { reportOffer } from '#domain/transfer/report-offer.ts';
import { reportTransfer } from '#domain/transfer/report-transfer.ts';
import { requestDeposit } from '#domain/transfer/request-deposit.ts';
import { returnItems } from '#domain/transfer/return-items.ts';
import {
  addBot,
  addPerson,
  addStreamer,
  asset,
  draft,
  type Person,
  START_MS,
} from '#tests/support/fixtures.ts';
import { disown, endFreezeOf } from '#tests/support/freezing.ts';
import { resumeRules } from '#tests/support/resuming.ts';
import { offerEnds, type SimulatedOffer, SimulatedSteam } from '#tests/support/simulated-steam.ts';
import { SmallPoints } from '#tests/support/small-points.ts';
import { goLive } from '#tests/support/stream.ts';

const KINDS = ['Demo case', 'Demo knife'];
const pauses = [minute, hour, day, 3 * day, 8 * day];

/** Two streamers with a rule each, three viewers, two bots, a Steam, and every action that may happen to them. */
export class SmallWorld {
  nowMs = START_MS;
  readonly steam = new SimulatedSteam();
  readonly points: SmallPoints = new SmallPoints(this);
  /** Number of items that each streamer’s accepted deposits contained. */
  readonly received = new Map<string, number>();
  readonly db: Database;
  streamers: Person[] = [];
  viewers: Person[] = [];
  bots: string[] = [];
  #holder = 1;
  /** Items that the last readings of the inventories did not show. */
  #absent: ReadonlySet<string> = new Set();
  /** Sendings that a process has started; once per lease. */
  readonly #tried = new Set<string>();
  #requests: (() => Promise<unknown>)[] = [];

  constructor(db: Database) {
    this.db = db;
  }

  static async make(db: Database): Promise<SmallWorld> {
    const world = new SmallWorld(db);
    for (let n = 0; n < 2; n++) world.bots.push(await addBot(db));
    for (let n = 0; n < 2; n++) world.streamers.push(await addStreamer(db));
    for (let n = 0; n < 3; n++) world.viewers.push(await addPerson(db));
    for (const [n, { userId, twitchId }] of world.streamers.entries()) {
      world.received.set(userId, 0);
      await goLive(db, twitchId);
      await world.openRule(n);
      await world.deposit(n, 4);
    }
    // A rule that requires only points.
    await world.openRule(9);
    await world.everythingIsSent();
    world.nowMs += 8 * day;
    for (const n of world.streamers.keys()) await world.verbs.attach?.(n, 1);
    for (const kind of [0, 6]) await world.verbs.attach?.(2, kind);
    return world;
  }

  /** The actions, by name; each takes two numbers that choose among what exists. */
  readonly verbs: Record<string, (a: number, b: number) => Promise<unknown>> = {
    deposit: (a, b) => this.deposit(a, 1 + (b % 3)),
    submitAgain: (a) => pick(this.#requests, a)?.() ?? Promise.resolve(),
    openRule: (a) => this.openRule(a),
    closeRule: async (a, b) => {
      const rule = pick(await this.#rules(), a);
      if (rule && b % 4 === 0)
        await closeRule(this.db, { ruleId: rule.id, userId: rule.ownerId }, this.nowMs);
    },
    attach: (a, b) => this.#pool(attachRewards, a, b),
    detach: (a, b) => this.#pool(detachRewards, a, b),
    weigh: async (a, b) => {
      const rule = pick(await this.#rules(), a);
      if (!rule) return;
      const weights = [{ appId: 730, marketHashName: kindOf(b), weight: 1 + b }];
      await setKindWeights(this.db, { ruleId: rule.id, userId: rule.ownerId, weights }, this.nowMs);
    },
    pause: (a) => this.db.transaction((tx) => pauseRulesOf(tx, this.#pausing(a), this.nowMs)),
    resume: (a) => resumeRules(this.db, this.#pausing(a), this.nowMs),
    watch: (a, b) => this.watch(a, b),
    sweep: (a) => evaluateChannel(this.db, this.#streamer(a).twitchId, this.nowMs),
    claim: async (a) => {
      const promised = await this.db.read.select().from(rewards).where(is(rewards.state, 'promised'));
      const { id: rewardId, userId } = pick(promised, a) ?? {};
      if (rewardId && userId) await claimReward(this.db, { rewardId, userId }, this.nowMs);
    },
    giveBack: async (a, b) => {
      const { userId } = this.#streamer(a);
      const mine = await this.db.read.select().from(items).where(eq(items.ownerId, userId));
      const itemIds = mine.filter((_, place) => (b + place) % 3 === 0).map(({ id }) => id);
      const request = { requestId: newId(this.nowMs), userId, itemIds };
      await this.#submit(() => returnItems(this.db, request, this.nowMs));
    },
    cancel: async (a) => {
      const transfer = pick(await this.#transfers(['queued', 'sending', 'uncertain', 'sent', 'accepted']), a);
      const asked = transfer && { transferId: transfer.id, userId: transfer.userId };
      if (asked) await cancelTransfer(this.db, asked, this.nowMs);
    },
    stop: async (a, b) => {
      const { id: rewardId, ownerId } = pick(await this.db.read.select().from(rewards), a) ?? {};
      const asked = rewardId && ownerId && { rewardId, ownerId, reason: pick(stopReasons, b) ?? 'mistake' };
      if (asked) await stopClaim(this.db, asked, this.nowMs);
    },
    freeze: (a, b) =>
      disown(this.db, this.#streamer(a), this.nowMs - (pick(pauses, b) ?? minute), this.nowMs),
    endFreeze: (a, b) =>
      endFreezeOf(this.db, this.#streamer(a), b % 3 === 0 ? 'takeBack' : 'goOn', this.nowMs),
    lease: (a, b) => this.#lease(a, 1 + (b % 3)),
    send: (a, b) => this.#send(a, b),
    goodDay: () => this.goodDay(),
    crash: () => this.crash(),
    findLost: () => this.findLost(),
    look: () => this.look(),
    receiverActs: (a, b) => this.#receiverActs(a, b),
    reverse: (a) => this.#reverse(a),
    settle: async (a) => {
      const transfer = pick(await this.#transfers(['accepted']), a);
      const late = transfer?.acceptedAtMs && this.nowMs - transfer.acceptedAtMs >= 7 * day;
      if (transfer && late) await reportTransfer(this.db, transfer.id, { event: 'settled' }, this.nowMs);
    },
    hide: async (a) => {
      const known = await this.db.read.select().from(items).where(is(items.state, 'held'));
      const item = pick(known, a);
      if (item) this.steam.hide(item.assetId);
    },
    show: async () => this.steam.showAll(),
    reconcile: () => this.reconcile(),
    pass: async (a) => {
      this.nowMs += pick(pauses, a) ?? minute;
    },
    expire: () => expirePromises(this.db, this.nowMs, Date.now()),
    redeem: (a, b) => {
      const people = [...this.viewers, ...this.viewers, ...this.streamers, { twitchId: 'stranger' }];
      return this.points.redeem(pick(people, b)?.twitchId ?? '', a, b % 3 > 0);
    },
    receivePoints: (a, b) => this.points.receive(a, b % 4 === 0),
    settleByHand: async (a, b) => this.points.byHand(a, b % 2 === 0),
    leasePoints: (a) => this.points.lease(1 + (a % 3)),
    reportPoints: (a, b) =>
      this.points.report(a, b % 5 === 0 ? 'neverArrived' : b % 5 === 1 ? 'answerLost' : 'told'),
    heartbeat: (a) =>
      recordHeartbeat(this.db, pick(this.bots, a) ?? '', { systemMs: Date.now(), nowMs: this.nowMs }),
  };

  #streamer = (n: number): Person => pick(this.streamers, n) as Person;
  #rules = () => this.db.read.select().from(rules);
  #transfers = (states: TransferState[]) =>
    this.db.read.select().from(transfers).where(within(transfers.state, states));

  async #submit(request: () => Promise<unknown>): Promise<void> {
    this.#requests.push(request);
    await request();
  }

  #pausing = (n: number) => ({ ownerId: this.#streamer(n).userId, reason: 'lostPermission' }) as const;

  async #pool(verb: typeof attachRewards | typeof detachRewards, a: number, b: number): Promise<void> {
    const rule = pick(await this.#rules(), a);
    if (!rule) return;
    const kinds = [{ appId: 730, marketHashName: kindOf(b), quantity: 1 + (b % 3) }];
    const request = { requestId: newId(this.nowMs), ruleId: rule.id, userId: rule.ownerId, kinds };
    await this.#submit(() => verb(this.db, request, this.nowMs));
  }

  async openRule(n: number): Promise<void> {
    const request = {
      requestId: newId(this.nowMs),
      userId: this.#streamer(n).userId,
      draft: draft({
        // A paid draw is refused.
        type: n % 2 === 1 && n % 5 !== 4 ? 'random' : 'one',
        watchMinutes: n % 10 === 9 ? null : 2,
        pointsCost: n % 5 === 4 ? 100 : null,
        watchScope: n % 3 === 2 ? 'allTime' : 'sinceRule',
        claimTimeoutHours: 48,
      }),
    };
    await this.#submit(() => createRule(this.db, request, this.nowMs));
  }

  async deposit(n: number, amount: number): Promise<void> {
    const { userId, steamId } = this.#streamer(n);
    // Two of three are of the first kind.
    const assets = Array.from({ length: amount }, (_, place) =>
      asset(kindOf(place === 2 ? 4 : 0), { assetId: this.steam.give(steamId) }),
    );
    const request = { requestId: newId(this.nowMs), userId, assets };
    await this.#submit(() => requestDeposit(this.db, request, this.nowMs, Date.now()));
  }

  /** One tick of a channel, with the chatters selected by the bits of `who`; streamers watch too. */
  async watch(n: number, who: number): Promise<void> {
    this.nowMs += minute;
    const { twitchId: channelId } = this.#streamer(n);
    const present = [...this.viewers, ...this.streamers].filter((_, bit) => (who >> bit) % 2 === 0);
    const twitchIds = new Set(present.map(({ twitchId }) => twitchId));
    await accrueWatchTime(this.db, { channelId, streamId: 's1', twitchIds }, this.nowMs);
  }

  async #lease(n: number, limit: number): Promise<void> {
    const botId = pick(this.bots, n) ?? '';
    const checkedClaims = await this.points.claimsThatHold(botId);
    const owner = { botId, holder: `process-${this.#holder}`, limit, checkedClaims };
    await leaseTransfers(this.db, owner, this.nowMs, Date.now());
  }

  /** One leased transfer is sent or not, and its answer arrives or not. */
  async #send(a: number, b: number): Promise<void> {
    const leased = await this.#transfers(['sending']);
    const transfer = pick(
      leased.filter(({ id, attempts }) => !this.#tried.has(`${id} ${attempts}`)),
      a,
    );
    if (!transfer) return;
    this.#tried.add(`${transfer.id} ${transfer.attempts}`);
    const report = (change: Parameters<typeof reportTransfer>[2]) =>
      reportTransfer(this.db, transfer.id, change, this.nowMs);
    if (b % 7 === 0) return void (await report({ event: 'deferred', runAtMs: this.nowMs + minute }));
    if (b % 7 === 1) return void (await report({ event: 'answerLost' }));
    const offer = await this.#arrive(transfer, b % 2 === 0);
    if (b % 7 === 2) return void (await report({ event: 'answerLost' }));
    // The process dies between Steam’s answer and recording it.
    if (b % 7 === 3) return;
    if (!offer) return void (await report({ event: 'refused' }));
    const event = offer.state === 'Active' ? 'sent' : 'created';
    await report({ event, offerId: offer.offerId });
  }

  /** The offer is created at Steam. */
  async #arrive(transfer: typeof transfers.$inferSelect, confirmed: boolean) {
    const rows = await this.db.read
      .select()
      .from(transferItems)
      .where(eq(transferItems.transferId, transfer.id));
    const sides = [transfer.botId, transfer.partnerSteamId];
    const [from, to] = transfer.kind === 'deposit' ? sides.reverse() : sides;
    const assetIds = rows.map(({ assetId }) => assetId);
    return this.steam.send(transfer.id, assetIds, from ?? '', to ?? '', confirmed);
  }

  /** The bots’ process dies and another takes over: running sendings become uncertain. */
  async crash(): Promise<void> {
    const livingHolder = `process-${++this.#holder}`;
    for (const botId of this.bots)
      await markLostSendingsUncertain(this.db, { botId, livingHolder }, this.nowMs, Date.now());
  }

  async findLost(): Promise<void> {
    for (const { id } of await this.#transfers(['uncertain'])) {
      const offer = this.steam.offers.find(({ transferId }) => transferId === id);
      if (offer) await this.#report(offer);
      else await reportAbsence(this.db, id, this.nowMs);
    }
  }

  /** The bot polls: Steam’s state of every known offer is reported, and withdrawn ones are cancelled. */
  async look(): Promise<void> {
    for (const botId of this.bots) await withdrawFrozen(this.db, { botId }, this.nowMs);
    for (const { id, cancelWanted } of await this.#transfers(['queued']))
      if (cancelWanted) await reportTransfer(this.db, id, { event: 'withdrawn' }, this.nowMs);
    for (const { id, offerId, cancelWanted } of await this.#transfers(['unconfirmed', 'sent', 'escrowed'])) {
      const offer = this.steam.offers.find((each) => each.offerId === offerId);
      if (!offer) throw new Error(`transfer ${id} has an offer that Steam does not know`);
      if (cancelWanted && ['Active', 'CreatedNeedsConfirmation'].includes(offer.state))
        offer.state = 'Canceled';
      await this.#report(offer);
    }
  }

  async #report(offer: SimulatedOffer): Promise<void> {
    const { offerId, transferId, state: steamState } = offer;
    const moved = [...offer.arrived].map(([assetId, newAssetId]) => ({
      appId: 730,
      assetId,
      newAssetId,
      newContextId: '2',
    }));
    const report = { offerId, steamState, ...(moved.length > 0 && { moved }) };
    const changed = await reportOffer(this.db, transferId, report, this.nowMs);
    const [transfer] = await this.db.read.select().from(transfers).where(eq(transfers.id, transferId));
    if (changed && steamState === 'Accepted' && transfer?.kind === 'deposit')
      this.received.set(transfer.userId, (this.received.get(transfer.userId) ?? 0) + moved.length);
  }

  /** Someone confirms, accepts, declines or lets an offer expire, and we do not know it yet. */
  async #receiverActs(a: number, b: number): Promise<void> {
    const open = this.steam.offers.filter(({ state }) =>
      ['Active', 'CreatedNeedsConfirmation', 'InEscrow'].includes(state),
    );
    const offer = pick(open, a);
    if (!offer) return;
    if (offer.state === 'CreatedNeedsConfirmation' && b % 4 !== 0) offer.state = 'Active';
    else if (offer.state === 'Active' && b % 5 === 0) offer.state = 'InEscrow';
    else if (b % 3 === 0 && offer.state !== 'InEscrow') offer.state = pick(offerEnds, b) ?? 'Declined';
    else if (offer.state !== 'CreatedNeedsConfirmation') this.steam.accept(offer);
  }

  /** The receiver of an accepted trade reverses it within seven days. */
  async #reverse(a: number): Promise<void> {
    const known = await this.#transfers(['accepted']);
    const fresh = known.filter(({ acceptedAtMs }) => this.nowMs - (acceptedAtMs ?? 0) < 7 * day);
    const claims = fresh.filter(({ kind }) => kind === 'claim');
    const transfer = pick(claims.length > 0 && a % 4 > 0 ? claims : fresh, a);
    const offer = this.steam.offers.find(({ offerId }) => offerId === transfer?.offerId);
    if (!transfer || !offer) return;
    this.steam.reverse(offer);
    const moved = [...(offer.cameBack ?? [])].map(([assetId, newAssetId]) => ({
      appId: 730,
      assetId,
      newAssetId,
      newContextId: '2',
    }));
    await reportTransfer(this.db, transfer.id, { event: 'reversed', moved }, this.nowMs);
  }

  async reconcile(): Promise<void> {
    const absent: string[] = [];
    for (const botId of this.bots) {
      const found = this.steam
        .inventory(botId)
        .map((assetId) => ({ assetId, contextId: '2', classId: '100' }));
      const reading = { botId, appId: 730, found, readAtMs: this.nowMs, absentBefore: this.#absent };
      absent.push(...(await reconcileItems(this.db, reading, this.nowMs)).absent);
    }
    this.#absent = new Set(absent);
  }

  /** Everything works: queued transfers are sent and accepted, and we see it. */
  async goodDay(): Promise<void> {
    await this.findLost();
    for (const botId of this.bots.keys()) await this.#lease(botId, 100);
    for (let sending = (await this.#transfers(['sending'])).length; sending > 0; sending--)
      await this.#send(0, 4);
    for (const offer of this.steam.offers) {
      if (offer.state === 'CreatedNeedsConfirmation') offer.state = 'Active';
      if (['Active', 'InEscrow'].includes(offer.state)) this.steam.accept(offer);
    }
    await this.look();
  }

  /** Lets the bots finish everything. */
  async everythingIsSent(): Promise<void> {
    await this.crash();
    for (let round = 0; round < 8; round++) {
      this.nowMs += hour;
      await this.goodDay();
    }
    this.steam.showAll();
    this.nowMs += hour;
    await this.reconcile();
  }

  /** Items in our custody whose assets the bot does not have. */
  async misplaced(): Promise<string[]> {
    const held = await this.db.read
      .select()
      .from(items)
      .where(and(is(items.state, 'held')));
    return held.filter(({ assetId, botId }) => this.steam.holders.get(assetId) !== botId).map(({ id }) => id);
  }
}

/** The kind for an action's number: the first more often, because there are more of it. */
const kindOf = (n: number): string => KINDS[n % 8 >= 4 ? 1 : 0] ?? '';
const pick = <T>(list: readonly T[], n: number): T | undefined => list[n % Math.max(1, list.length)];
