import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { database } from '#app/services/database.server.ts';
import { resumeSending } from '#domain/bot/stop-sending.ts';
import { newId } from '#domain/kernel/id.ts';
import { second } from '#domain/kernel/time.ts';
import { asset } from '#tests/support/fixtures.ts';
import { startFakeBot } from '../support/fake-bot.ts';
import { honestForms, operatorAddress } from '../support/honest-forms.ts';
import { idIn, namesOf, type Owner, ownerOfAll } from '../support/owner.ts';
import { type RouteModule, routeModules } from '../support/route-modules.ts';
import { setSellingWeb } from '../support/selling.ts';
import { changes, stored } from '../support/stored.ts';

// The clock moves only for a form, and Stripe's with it: stored values are compared by the minute, however
// long either takes.
vi.useFakeTimers({ toFake: ['Date'] });
afterAll(() => void vi.useRealTimers());

const bot = await startFakeBot();
const closeStripe = await setSellingWeb({ BOT_URL: bot.url, OPERATOR_ACCOUNT: operatorAddress });
afterAll(() => Promise.all([bot.stop(), closeStripe()]));

let victim: Owner;
beforeAll(async () => {
  victim = await ownerOfAll();
});

/** An unused id, for a row to be created. */
const chosenId = newId(Date.now());
const taken = 'taken-over';

/** Names of form fields or columns, with harmful values. */
const extra = (): Record<string, string> => ({
  id: chosenId,
  ...Object.fromEntries(
    ['userId', 'user_id', 'ownerId', 'owner_id', 'viewerId', 'sub', 'account', 'user', 'owner'].map(
      (name) => [name, victim.userId],
    ),
  ),
  ruleId: victim.ids.rules,
  rule_id: victim.ids.rules,
  rewardId: victim.ids.rewards,
  reward_id: victim.ids.rewards,
  transferId: victim.ids.transfers,
  transfer_id: victim.ids.transfers,
  sessionId: victim.ids.sessions,
  session_id: victim.ids.sessions,
  currentToken: victim.ids.sessions,
  tokenId: victim.ids.tokens,
  token_id: victim.ids.tokens,
  itemId: victim.itemId,
  item_id: victim.itemId,
  itemIds: victim.itemId,
  guestId: victim.ids.guests,
  guest_id: victim.ids.guests,
  channel: victim.twitchId,
  channelId: victim.twitchId,
  channel_id: victim.twitchId,
  twitchId: victim.twitchId,
  steamId: victim.steamId,
  partnerSteamId: victim.steamId,
  depositorSteamId: victim.steamId,
  name: taken,
  email: 'taken-over@example.org',
  recipient: 'taken-over@example.org',
  trade_link: victim.tradeLink,
  tradeToken: taken,
  password: taken,
  passwordHash: taken,
  password_hash: taken,
  tokenHash: taken,
  token_hash: taken,
  codeHash: taken,
  seed: taken,
  securityCode: taken,
  botId: taken,
  bot_id: taken,
  holder: taken,
  toHolder: taken,
  offerId: taken,
  type: 'random',
  paidDrawsAllowed: 'true',
  paid_draws_allowed: 'true',
  pauseReason: 'operator',
  chatLocale: 'ru',
  chat_locale: 'ru',
  announcesPromises: 'true',
  weight: '99',
  state: 'claimed',
  status: 'claimed',
  position: '0',
  purpose: 'reset',
  verified: 'true',
  emailVerifiedAtMs: '1',
  email_verified_at_ms: '1',
  role: 'admin',
  is_admin: 'true',
  locale: 'ru',
  language: 'ru',
  theme: 'light',
  notifyByMail: 'false',
  createdAtMs: '1',
  deletedAtMs: '1',
  deleted_at_ms: '1',
  closedAtMs: '1',
  lockedUntilMs: '1',
  claimUntilMs: '1',
  expiresAtMs: '9999999999999',
  quantity: '99',
  __proto__x: '1',
  'constructor.prototype.verified': 'true',
});

/** Calls that programs make, covered by their own tests. */
const byPrograms = ['/api/', '/dock/', '/sanctum/', '/webhooks/'];
const routes = (await routeModules()).filter(
  ({ action, path }) => action && !byPrograms.some((prefix) => path.startsWith(prefix)) && path !== '/*',
);
/** Leads to Stripe and stores nothing here. */
const storesNothing = ['/billing/portal'];

/** Announces a change of every promise, and each new owner has made one more. */
const announcesEach = ['/operator/resume'];

/** Submits a valid form with extra fields as a new user; returns the outcome and the stored rows. */
async function send({ action, path, guards }: RouteModule, more: Record<string, string>) {
  const owner = await ownerOfAll();
  bot.inventories.set(owner.steamId, [{ ...asset(owner.kind.marketHashName), tradable: true }]);
  const { form, by, names = [] } = (await honestForms[path]?.(owner)) ?? { form: {} };
  const params = { id: idIn(path, owner) };
  const [guard] = guards;
  const before = await stored();
  vi.setSystemTime(Date.now() + second);
  const atMs = Date.now();
  const call = { form: { ...more, ...form }, params, ...(guard && { guard }) };
  const answer = await (by ?? owner.visitor).call(action as never, path.replace(':id', params.id), call);
  const known = new Map([
    ...names,
    ...namesOf(owner, 'owner'),
    ...namesOf(victim, 'victim'),
    [chosenId, 'chosen id'],
    [taken, 'taken'],
    ...(form.requestId ? [[form.requestId, 'request'] as const] : []),
  ]);
  const changed = changes(before, await stored(), known, atMs);
  // The next owner's items need bots that send.
  await resumeSending(await database(), { operatorId: 'nobody' }, { nowMs: atMs, systemMs: 0 });
  return {
    status: answer.status,
    toast: answer.toast,
    changed: announcesEach.includes(path) ? [...new Set(changed)] : changed,
  };
}

test('Every form belongs to a route, and every route that changes something has a form', () => {
  expect(Object.keys(honestForms).sort()).toEqual(routes.map(({ path }) => path).sort());
});

test.each(routes.map((route) => [route.path, route] as const))(
  'A form to %s changes only what it asks for',
  async (_, route) => {
    const honest = await send(route, {});
    expect(honest.status).toBeLessThan(400);
    expect(honest.changed.length > 0).toBe(!storesNothing.includes(route.path));
    const loaded = await send(route, extra());
    expect(loaded).toEqual(honest);
  },
);
