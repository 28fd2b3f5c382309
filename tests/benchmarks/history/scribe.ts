import { createHash } from 'node:crypto';
import { steamAccounts, twitchAccounts } from '#db/schema/account.ts';
import { bots } from '#db/schema/bot.ts';
import { channels } from '#db/schema/channel.ts';
import { type ItemState, items, ledgerEntries } from '#db/schema/item.ts';
import { mails } from '#db/schema/outbox.ts';
import { endedRewards, type RewardState, rewards } from '#db/schema/reward.ts';
import { qualifications, rules } from '#db/schema/rule.ts';
import { type TransferState, transferItems, transferSteps, transfers } from '#db/schema/transfer.ts';
import { users } from '#db/schema/user.ts';
import { streamerScopes } from '#domain/identity/twitch/twitch-scopes.ts';
import { holderName } from '#domain/item/advance-item.ts';
import { DEPOSIT_LOCK_MS } from '#domain/item/locked-until.ts';
import { day, hour, minute, second } from '#domain/kernel/time.ts';
import { tieBreak } from '#domain/rule/qualify.ts';
import type { RowSink } from '#tests/benchmarks/history/row-sink.ts';
import { type Person, steamIdOf } from '#tests/support/fixtures.ts';

export type Item = typeof items.$inferInsert;
export type Reward = typeof rewards.$inferInsert;
export type Rule = typeof rules.$inferInsert;
type Transfer = typeof transfers.$inferInsert;

export interface Member extends Person {
  number: number;
  /** Wants no mail, like most, so that old mails do not fill the database. */
  quiet: boolean;
}
export interface Streamer extends Member {
  channelId: string;
}

/** A step of a transfer's timeline: the state, the event, and the time since the step before. */
type Step = readonly [state: TransferState, event: string, afterMs: number];
const asked: Step = ['queued', 'requested', 0];
const sent: Step[] = [
  ['sending', 'started', 40 * second],
  ['sent', 'sent', 3 * second],
];
const courses = {
  queued: [asked],
  uncertain: [asked, ['sending', 'started', 40 * second], ['uncertain', 'answerLost', 30 * second]],
  sent: [asked, ...sent],
  accepted: [asked, ...sent, ['accepted', 'accepted', 2 * hour]],
  settled: [asked, ...sent, ['accepted', 'accepted', 2 * hour], ['settled', 'settled', 7 * day]],
  declined: [asked, ...sent, ['declined', 'declined', 3 * hour]],
  cancelled: [asked, ...sent, ['cancelled', 'cancelled', 3 * day]],
} as const satisfies Record<string, readonly Step[]>;
export type Course = keyof typeof courses;
const open: readonly Course[] = ['queued', 'uncertain', 'sent'];

/** The time from a request until its items have changed hands. */
export const DELIVERY_MS = 40 * second + 3 * second + 2 * hour;

/**
 * Writes the rows that the domain would have written, act by act, at given times. It checks nothing; the
 * caller is responsible for consistency.
 */
export class Scribe {
  readonly #sink: RowSink;
  #ids: number;
  #assets: number;
  /** By rule and kind; written at the very end. */
  readonly #ended = new Map<string, typeof endedRewards.$inferInsert>();
  readonly #items = new WeakMap<Reward, Item>();

  /** Two scribes of one database start from different numbers. */
  constructor(sink: RowSink, countFrom = 0) {
    this.#sink = sink;
    this.#ids = countFrom;
    this.#assets = countFrom;
  }

  /** A uuidv7 for this time; deterministic. */
  id(atMs: number): string {
    const count = ++this.#ids;
    const time = atMs.toString(16).padStart(12, '0');
    const order = (count % 2 ** 24).toString(16).padStart(6, '0');
    const mixed = Math.imul(count, 0x9e3779b1) >>> 0;
    const tail = `${mixed.toString(16).padStart(8, '0')}${(mixed % 65_521).toString(16).padStart(4, '0')}`;
    return `${time.slice(0, 8)}-${time.slice(8)}-7${order.slice(0, 3)}-8${order.slice(3)}-${tail}`;
  }

  get add(): RowSink['add'] {
    return this.#sink.add.bind(this.#sink);
  }

  bot(id: string, atMs: number): void {
    // Far in the future, because nobody sends heartbeats for it.
    const heartbeatAtMs = Date.UTC(2100, 0);
    const steamId = steamIdOf(90_000_000 + Number(id.replace(/\D/g, '')));
    this.add(bots, { id, steamId, state: 'ready', heartbeatAtMs, firstSeenAtMs: atMs });
  }

  /** A verified user with linked accounts. The same number is the same person. */
  member(number: number, atMs: number): Member {
    const member = memberOf(number);
    this.#write(member, [], atMs);
    return member;
  }

  streamer(number: number, atMs: number, facts: Partial<typeof channels.$inferInsert> = {}): Streamer {
    const member = memberOf(number);
    this.#write(member, [...streamerScopes], atMs);
    const channelId = member.twitchId;
    const names = { login: `demo_channel_${number}`, displayName: `Demo channel ${number}` };
    this.add(channels, { id: channelId, ...names, lastSeenAtMs: atMs, ...facts });
    return { ...member, channelId };
  }

  #write(member: Member, scopes: string[], atMs: number): void {
    const { number, userId, twitchId, steamId, quiet } = member;
    this.add(users, {
      id: userId,
      name: `Demo person ${number}`,
      email: `person-${number}@example.org`,
      emailVerifiedAtMs: atMs,
      notifyByMail: !quiet,
      createdAtMs: atMs,
    });
    this.add(twitchAccounts, {
      twitchId,
      userId,
      login: `demo_person_${number}`,
      displayName: `Demo_Person_${number}`,
      accessTokenSealed: 'sealed',
      refreshTokenSealed: 'sealed',
      scopes,
      tokenObtainedAtMs: atMs,
      tokenLifetimeSeconds: 14_400,
      linkedAtMs: atMs,
    });
    this.add(steamAccounts, { steamId, userId, tradeToken: 'tokenABC', linkedAtMs: atMs });
  }

  rule(owner: Streamer, facts: Partial<Rule>, atMs: number): Rule {
    const id = this.id(atMs);
    return this.add(rules, {
      id,
      ownerId: owner.userId,
      channelId: owner.channelId,
      name: 'Demo rule',
      type: 'one',
      state: 'open',
      watchMinutes: 60,
      claimTimeoutHours: 72,
      seed: createHash('sha256').update(id).digest('hex'),
      createdAtMs: atMs,
      ...facts,
    });
  }

  /** An accepted deposit: creates its items, locked. */
  deposit(owner: Member, botId: string, kinds: readonly number[], atMs: number): Item[] {
    const receivedAtMs = atMs + DELIVERY_MS;
    const transfer = this.#transfer({ kind: 'deposit', userId: owner.userId, botId }, owner, 'settled', atMs);
    return kinds.map((kind) => {
      const item = this.add(items, {
        id: this.id(receivedAtMs),
        ownerId: owner.userId,
        botId,
        ...this.#asset(kind),
        state: 'held',
        lockedUntilMs: receivedAtMs + DEPOSIT_LOCK_MS,
        depositorSteamId: owner.steamId,
        receivedAtMs,
      });
      const before = this.#nextAsset();
      this.#transferItem(transfer, item, { assetId: before, newAssetId: item.assetId });
      this.#enter(item, 'outside', { cause: 'deposit', transferId: transfer.id, atMs: receivedAtMs });
      return item;
    });
  }

  /** A deposit that its streamer did not accept. */
  vainDeposit(owner: Member, botId: string, kind: number, course: Course, atMs: number): void {
    const transfer = this.#transfer({ kind: 'deposit', userId: owner.userId, botId }, owner, course, atMs);
    this.#transferItem(transfer, { id: null, ...this.#asset(kind) }, {}, open.includes(course));
  }

  /** Returns items to their owner. */
  giveBack(owner: Member, given: readonly Item[], course: Course, atMs: number): void {
    const botId = given[0]?.botId ?? '';
    const transfer = this.#transfer({ kind: 'return', userId: owner.userId, botId }, owner, course, atMs);
    for (const item of given) this.#pass(transfer, item, course, atMs);
  }

  /** Attaches an item as a free reward. A successor has no attaching user. */
  attach(rule: Rule, item: Item, atMs: number, by: 'streamer' | 'recall' = 'streamer'): Reward {
    const id = this.id(atMs);
    const attachedAtMs = by === 'streamer' ? atMs : null;
    const place = { ruleId: rule.id, ownerId: rule.ownerId, channelId: rule.channelId, position: id };
    const reward = { id, ...place, itemId: item.id, state: 'free' as RewardState };
    const attached = this.add(rewards, { ...reward, createdAtMs: atMs, attachedAtMs });
    this.#items.set(attached, item);
    return attached;
  }

  /** A viewer meets a rule; null: and waits. */
  qualify(rule: Rule, { twitchId }: Member, atMs: number, promisedAtMs: number | null): void {
    const tie = tieBreak(rule.seed, twitchId);
    this.add(qualifications, {
      ruleId: rule.id,
      twitchId,
      qualifiedAtMs: atMs,
      tieBreak: tie,
      promisedAtMs,
    });
  }

  promise(rule: Rule, reward: Reward, viewer: Member, atMs: number): void {
    const claimUntilMs = atMs + rule.claimTimeoutHours * hour;
    const { twitchId, userId } = viewer;
    Object.assign(reward, { state: 'promised', twitchId, userId, promisedAtMs: atMs, claimUntilMs });
    this.qualify(rule, viewer, atMs - 5 * minute, atMs);
    if (viewer.quiet) return;
    const recipient = `person-${viewer.number}@example.org`;
    const values = { name: `Demo person ${viewer.number}`, rule: rule.name, claimUntilMs: `${claimUntilMs}` };
    const times = { createdAtMs: atMs, runAtMs: atMs, sentAtMs: atMs + 20 * second };
    this.add(mails, {
      id: this.id(atMs),
      recipient,
      template: 'rewardPromised',
      locale: 'en',
      values: { ...values, item: 'Demo case', channel: 'Demo channel' },
      ...times,
    });
  }

  recall(reward: Reward, recallReason: string): void {
    Object.assign(reward, { state: 'recalled', recallReason });
    this.#end(reward, 'recalled');
  }

  #end(reward: Reward, state: 'claimed' | 'recalled'): void {
    const item = this.#items.get(reward);
    if (!item) throw new Error('an unknown reward ended');
    const { appId, marketHashName: kindName, id: itemId } = item;
    const key = `${reward.ruleId} ${kindName}`;
    const ended = this.#ended.get(key) ?? {
      ruleId: reward.ruleId,
      appId,
      kindName,
      itemId,
      claimed: 0,
      recalled: 0,
    };
    ended[state]++;
    this.#ended.set(key, ended);
  }

  /** Writes the numbers of rewards that ended. Nothing more may end. */
  writeEnded(): void {
    for (const row of this.#ended.values()) this.add(endedRewards, row);
  }

  /**
   * The viewer claims a promised reward, and the transfer takes this course. A failed one leaves the promise unchanged.
   */
  claim(reward: Reward, item: Item, viewer: Member, course: Course, atMs: number): void {
    const claimed = { userId: viewer.userId, rewardId: reward.id, ruleOwnerId: reward.ownerId ?? null };
    const facts = { kind: 'claim', botId: item.botId, ...claimed } as const;
    const transfer = this.#transfer(facts, viewer, course, atMs);
    this.#pass(transfer, item, course, atMs);
    const delivered = course === 'accepted' || course === 'settled';
    if (delivered) {
      Object.assign(reward, { state: 'claimed', claimedAtMs: atMs + DELIVERY_MS });
      this.#end(reward, 'claimed');
    } else if (open.includes(course)) Object.assign(reward, { state: 'reserved' });
    if (reward.state !== 'promised') Object.assign(reward, { steamId: viewer.steamId });
  }

  /** The effect of a claim or return on its item. */
  #pass(transfer: Transfer, item: Item, course: Course, atMs: number): void {
    const delivered = course === 'accepted' || course === 'settled';
    const newAssetId = delivered ? this.#nextAsset() : null;
    this.#transferItem(transfer, item, { newAssetId }, open.includes(course));
    const step = { cause: transfer.kind, transferId: transfer.id };
    this.#move(item, 'outgoing', { ...step, atMs });
    if (delivered) this.#move(item, 'delivered', { ...step, atMs: atMs + DELIVERY_MS });
    else if (!open.includes(course)) this.#move(item, 'held', { ...step, atMs: atMs + DELIVERY_MS + hour });
    if (course === 'settled') this.#move(item, 'gone', { ...step, atMs: atMs + DELIVERY_MS + 7 * day });
  }

  #move(item: Item, state: ItemState, step: { cause: string; transferId: string; atMs: number }): void {
    const from = holderName(item.state, item.botId);
    item.state = state;
    this.#enter(item, from, step);
  }

  #enter(item: Item, fromHolder: string, step: { cause: string; transferId: string; atMs: number }): void {
    const toHolder = holderName(item.state, item.botId);
    this.add(ledgerEntries, { id: this.id(step.atMs), itemId: item.id, fromHolder, toHolder, ...step });
  }

  #transfer(
    facts: Pick<Transfer, 'kind' | 'userId' | 'botId' | 'rewardId' | 'ruleOwnerId'>,
    partner: Member,
    course: Course,
    atMs: number,
  ): Transfer {
    const id = this.id(atMs);
    const moments = new Map<TransferState, number>();
    let nowMs = atMs;
    for (const [state, event, afterMs] of courses[course]) {
      nowMs += afterMs;
      moments.set(state, nowMs);
      this.add(transferSteps, { id: this.id(nowMs), transferId: id, state, event, atMs: nowMs });
    }
    const [sentAtMs, acceptedAtMs] = [moments.get('sent') ?? null, moments.get('accepted') ?? null];
    return this.add(transfers, {
      id,
      ...facts,
      state: course,
      partnerSteamId: partner.steamId,
      tradeToken: 'tokenABC',
      securityCode: `${id.slice(-8, -4)}-${id.slice(-4)}`.toUpperCase(),
      offerId: sentAtMs === null ? null : `7${this.#nextAsset()}`,
      tradeId: acceptedAtMs === null ? null : `t${id.slice(-12)}`,
      attempts: moments.has('sending') ? 1 : 0,
      runAtMs: atMs,
      createdAtMs: atMs,
      sentAtMs,
      expiresAtMs: sentAtMs && sentAtMs + 14 * day,
      cancelAtMs: sentAtMs && sentAtMs + 3 * day,
      acceptedAtMs,
      settlesAtMs: acceptedAtMs && acceptedAtMs + 7 * day,
    });
  }

  #transferItem(
    transfer: Transfer,
    item: Omit<
      Item,
      'id' | 'ownerId' | 'botId' | 'state' | 'lockedUntilMs' | 'depositorSteamId' | 'receivedAtMs'
    > & {
      id: string | null;
    },
    facts: Partial<typeof transferItems.$inferInsert>,
    stillOpen = false,
  ): void {
    const { id: itemId, ...asset } = item;
    const newContextId = facts.newAssetId ? '2' : null;
    this.add(transferItems, {
      ...asset,
      itemId,
      newContextId,
      ...facts,
      transferId: transfer.id,
      open: stillOpen,
    });
  }

  #nextAsset = (): string => String(10_000_000 + ++this.#assets);

  /** An asset of a kind, with a unique id. */
  #asset(kind: number) {
    const name = `Demo case ${String(kind).padStart(2, '0')}`;
    return {
      appId: 730,
      contextId: '2',
      assetId: this.#nextAsset(),
      classId: String(100 + kind),
      instanceId: '0',
      marketHashName: name,
      name,
      iconUrl: 'icon',
      typeLine: 'Base Grade Container',
      typeTag: 'CSGO_Type_WeaponCase',
      rarityTag: 'Rarity_Common',
      rarityColor: 'b0c3d9',
      exterior: '',
    };
  }
}

/** The person with this number, without writing anything. */
export function memberOf(number: number): Member {
  const hash = Math.imul(number, 0x85ebca6b) >>> 0;
  const order = number.toString(16).padStart(6, '0');
  return {
    number,
    userId: `01857000-0000-7${order.slice(0, 3)}-8${order.slice(3)}-${hash.toString(16).padStart(12, '0')}`,
    twitchId: String(1_000_000 + number),
    steamId: steamIdOf(100_000 + number),
    quiet: number % 10 !== 0,
  };
}
