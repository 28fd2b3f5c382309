import { database } from '#app/services/database.server.ts';
import { kindKey } from '#app/services/items/picks.server.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { requestPasswordReset } from '#domain/identity/password/request-password-reset.ts';
import { newId } from '#domain/kernel/id.ts';
import { day } from '#domain/kernel/time.ts';
import { cancelRaffle } from '#domain/raffle/cancel-raffle.ts';
import { findOwnRaffle } from '#domain/raffle/find-raffle.ts';
import { startRaffle } from '#domain/raffle/start-raffle.ts';
import { correctRule } from '#domain/rule/correct-rule.ts';
import { getRule } from '#domain/rule/list-rules.ts';
import { pauseRule } from '#domain/rule/pause-rule.ts';
import { getMyReward } from '#domain/view/list-my-rewards.ts';
import { extensionCodeOf } from '#tests/domain/account/people.ts';
import {
  acceptOffer,
  addPerson,
  addRule,
  addStreamer,
  asset,
  deposit,
  nextNumber,
  sendQueued,
} from '#tests/support/fixtures.ts';
import { recordFollows } from '#tests/support/follows.ts';
import { admit, loginOf } from '#tests/support/guests.ts';
import { promiseTo } from '#tests/support/promises.ts';
import { enter } from '#tests/support/raffles.ts';
import { drawOn, type Owner, password, preparedRaffleOf, registered } from '../../support/owner.ts';
import { App } from './app.ts';
import { listTransferAssets, mailedTokens } from './assets.ts';
import { signIn } from './people.ts';

/** A call as an app makes it. */
export interface HonestCall {
  json?: Record<string, unknown>;
  /** The caller, if not the owner. */
  by?: App;
}

const next = 'another sentence';
const repeated = (text: string) => ({ password: text, password_confirmation: text });

const picked = ({ kind }: Owner) => ({
  items: [{ kind_id: kindKey(kind), quantity: 1 }],
});

async function redeem({ userId }: Owner): Promise<HonestCall> {
  const { code } = await extensionCodeOf(await database(), userId);
  return { json: { code, device: 'Demo phone' }, by: new App() };
}

async function verify(): Promise<HonestCall> {
  const { token } = await registered();
  return { json: { token }, by: new App() };
}

async function resend(): Promise<HonestCall> {
  return { by: await signIn(await registered()) };
}

async function reset({ email }: Owner): Promise<HonestCall> {
  const db = await database();
  await requestPasswordReset(db, { email }, Date.now());
  const token = (await mailedTokens(db, email)).at(-1);
  return { json: { email, token, ...repeated(next) }, by: new App() };
}

const rule = ({ twitchId }: Owner): HonestCall => ({
  json: {
    name: 'For who stays',
    rule_type: 'one',
    channel_id: twitchId,
    follow_days: 7,
    watch_minutes: 90,
    watch_scope: 'allTime',
    subscriber_tier: 2,
    points_cost: 500,
    claim_timeout_hours: 48,
  },
});

/** Anybody may read the draws of the owner's rule. */
async function drawn(owner: Owner): Promise<HonestCall> {
  await drawOn(owner);
  return { by: new App() };
}

/** The owner has prepared a raffle, after an end of the one before. */
async function raffle(owner: Owner): Promise<HonestCall> {
  const db = await database();
  const before = await findOwnRaffle(db.read, owner.userId);
  if (before) await cancelRaffle(db, { raffleId: before.id }, Date.now());
  owner.ids.raffles = await preparedRaffleOf(owner, owner.kind);
  return {};
}

/** The owner's raffle runs, and somebody has entered. */
async function running(owner: Owner): Promise<HonestCall> {
  await raffle(owner);
  const [db, nowMs, raffleId] = [await database(), Date.now(), owner.ids.raffles];
  await startRaffle(db, { raffleId }, nowMs);
  await enter(db, raffleId, { channelId: owner.twitchId, twitchIds: ['990001'], nowMs });
  return {};
}

/** A broadcaster admits the owner to their channel. */
async function hosted(owner: Owner): Promise<HonestCall> {
  const db = await database();
  await admit(db, await addStreamer(db), owner);
  return {};
}

async function admitOne(): Promise<HonestCall> {
  const db = await database();
  return { json: { login: await loginOf(db, await addStreamer(db)) } };
}

/** A rule exists on a channel that the owner follows. */
async function worn(owner: Owner): Promise<HonestCall> {
  await deposit(await database(), owner, [asset('Worn rifle', { wear: '0.25' })], Date.now() - 9 * day);
  return {};
}

async function progress({ twitchId }: Owner): Promise<HonestCall> {
  const db = await database();
  const nowMs = Date.now();
  const giver = await addStreamer(db);
  const followers = [{ twitchId, followedAtMs: nowMs }];
  await recordFollows(db, { channelId: giver.twitchId, followers, complete: true, readAtMs: nowMs });
  await addRule(db, giver, { rewards: 0, nowMs });
  return {};
}

/** The owner has claimed a reward and accepted the offer. */
async function history({ userId, ids }: Owner): Promise<HonestCall> {
  const db = await database();
  const nowMs = Date.now();
  await claimReward(db, { rewardId: ids.rewards, userId }, nowMs);
  // A bot can have only so many open offers, so offers queued by earlier calls are sent first.
  for (let sent = await sendQueued(db, nowMs); sent.length > 0; sent = await sendQueued(db, nowMs))
    for (const { id } of sent) await acceptOffer(db, id, await listTransferAssets(db, id), nowMs);
  return {};
}

/** An offer waits for the owner on Steam. */
async function offered({ userId, ids }: Owner): Promise<HonestCall> {
  const [db, nowMs] = [await database(), Date.now()];
  await claimReward(db, { rewardId: ids.rewards, userId }, nowMs);
  const reward = await getMyReward(db, { rewardId: ids.rewards, userId });
  // Offers queued by earlier calls are accepted, because a bot can have only so many open.
  for (let sent = await sendQueued(db, nowMs); sent.length > 0; sent = await sendQueued(db, nowMs))
    for (const { id } of sent)
      if (id !== reward?.offer?.transferId)
        await acceptOffer(db, id, await listTransferAssets(db, id), nowMs);
  return {};
}

async function paused({ userId, ids }: Owner): Promise<HonestCall> {
  await pauseRule(await database(), { ruleId: ids.rules, userId, resumesAtMs: null }, Date.now());
  return {};
}

async function corrected({ userId, ids }: Owner): Promise<HonestCall> {
  const [db, nowMs] = [await database(), Date.now()];
  const rule = await getRule(db, { ruleId: ids.rules, ownerId: userId });
  if (!rule) throw new Error('the owner has no rule');
  const wanted = { ...rule, name: 'Corrected' };
  await correctRule(db, { requestId: newId(nowMs), ruleId: rule.id, userId, wanted }, nowMs);
  return {};
}

/** A viewer has met a rule of the owner. */
async function given(owner: Owner): Promise<HonestCall> {
  const db = await database();
  await promiseTo(db, owner, [await addPerson(db)], { nowMs: Date.now() });
  return {};
}

const guest = (json: Record<string, unknown> = {}): HonestCall => ({ json, by: new App() });
const newAddress = () => `app-${nextNumber()}@example.org`;
const letter = { name: 'Demo person', email: 'guest@example.org', message: 'A short message.' };

const basic = { product: 'streamer', tier: 'basic', period: 'month' };

/** Calls that only an instance that sells plans can answer: tests of all calls leave it to the tests of billing. */
export const sellingCalls: readonly string[] = [
  'startCheckout',
  'openBillingPortal',
  'previewPlanChange',
  'changePlan',
  'cancelSubscription',
  'resumeSubscription',
  'listCharges',
];

/** Valid arguments for each call of the API, by its name in the document. */
export const honestCalls: Record<string, (owner: Owner) => HonestCall | Promise<HonestCall>> = {
  getCsrfCookie: () => ({ by: new App() }),
  signIn: ({ email }) => guest({ email, password }),
  signOut: () => ({}),
  startTwitchSignIn: () => guest({ permissions: 'viewer' }),
  redeemExtensionCode: redeem,
  register: () => guest({ name: 'Demo person', email: newAddress(), ...repeated(password), terms: true }),
  verifyEmail: verify,
  requestPasswordReset: ({ email }) => guest({ email }),
  resetPassword: reset,
  getUser: () => ({}),
  listLinkedAccounts: () => ({}),
  confirmIdentity: () => ({ json: { password } }),
  unlinkTwitch: () => ({}),
  unlinkSteam: () => ({}),
  setTradeLink: ({ tradeLink }) => ({ json: { trade_link: tradeLink } }),
  setSendDelay: () => ({ json: { hours: 24 } }),
  resendVerification: resend,
  updateUser: () => ({ json: { name: 'Another name', settings: { language: 'ru' } } }),
  sendMessage: () => guest(letter),
  listRules: () => ({}),
  createRule: rule,
  tryRule: rule,
  getRule: () => ({}),
  pauseRule: () => ({ json: { until_resumed: true } }),
  resumeRule: paused,
  listCorrections: corrected,
  previewCorrection: () => ({ json: { name: 'Corrected' } }),
  correctRule: () => ({ json: { name: 'Corrected', mode: 'correct', newly: 0, leaving: 0 } }),
  closeRule: () => ({}),
  listRuleRewards: () => ({}),
  addRewards: (owner) => ({ json: picked(owner) }),
  removeRewards: (owner) => ({ json: picked(owner) }),
  setWeights: ({ kind }) => ({
    json: { weights: [{ kind_id: kindKey(kind), weight: 7 }] },
  }),
  listRaffles: () => ({}),
  prepareRaffle: ({ kind }) => ({
    json: { keyword: 'redline', kind_id: kindKey(kind), follow_days: 7 },
  }),
  getRaffle: () => ({}),
  startRaffle: async (owner) => ({ ...(await raffle(owner)), json: { minutes: 7 } }),
  drawRaffle: running,
  cancelRaffle: () => ({}),
  listRaffleEntries: async (owner) => ({ ...(await running(owner)), by: new App() }),
  getProof: () => ({ by: new App() }),
  listDraws: drawn,
  listItems: () => ({}),
  listItemPieces: worn,
  listInventory: () => ({}),
  depositItems: (owner) => ({ json: picked(owner) }),
  returnItems: (owner) => ({ json: picked(owner) }),
  listTransfers: () => ({}),
  getTransfer: () => ({}),
  listOpenOffers: offered,
  cancelTransfer: () => ({}),
  listRewardProgress: progress,
  listRewards: () => ({}),
  getReward: () => ({}),
  listRewardHistory: history,
  listGivenRewards: given,
  stopClaim: () => ({ json: { reason: 'mistake' } }),
  claimReward: ({ ids }) => ({ json: { reward_id: ids.rewards } }),
  listChannels: () => ({}),
  getChannelPage: () => ({ by: new App() }),
  getDashboard: () => ({}),
  listPlans: () => ({}),
  listSubscriptions: () => ({}),
  listCharges: () => ({}),
  listHostChannels: hosted,
  listGuests: () => ({}),
  admitGuest: admitOne,
  dismissGuest: () => ({}),
  listNotifications: () => ({}),
  streamNotifications: () => ({}),
  startCheckout: () => ({ json: basic }),
  openBillingPortal: () => ({}),
  previewPlanChange: () => ({ json: { ...basic, tier: 'pro' } }),
  changePlan: () => ({ json: { ...basic, tier: 'pro' } }),
  cancelSubscription: () => ({ json: { product: basic.product } }),
  resumeSubscription: () => ({ json: { product: basic.product } }),
  getOpenApi: () => ({ by: new App() }),
};
