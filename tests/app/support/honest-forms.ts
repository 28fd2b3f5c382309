import { eq } from 'drizzle-orm';
import { action as signInAction } from '#app/routes/auth/signin.tsx';
import { deviceGrant } from '#app/routes/device/device-grant.ts';
import { enteredFor } from '#app/routes/rules/correction-form.server.ts';
import { database } from '#app/services/database.server.ts';
import { kindKey } from '#app/services/items/picks.server.ts';
import { cancelSubscription } from '#billing/cancel-subscription.ts';
import { previewChange } from '#billing/change-plan.ts';
import { rewards } from '#db/schema/reward.ts';
import { users } from '#db/schema/user.ts';
import { verifyEmail } from '#domain/account/verify-email.ts';
import { resumeSending, stopSending } from '#domain/bot/stop-sending.ts';
import { sendMessage } from '#domain/contact/send-message.ts';
import { decideAccessRequest } from '#domain/identity/access/decide-access-request.ts';
import { issueApiToken } from '#domain/identity/access/issue-api-token.ts';
import { requestAccess } from '#domain/identity/access/request-access.ts';
import { requestPasswordReset } from '#domain/identity/password/request-password-reset.ts';
import { askForNewPasskey, askForPasskey } from '#domain/identity/second-factor/passkeys/ask-for-passkey.ts';
import { newId } from '#domain/kernel/id.ts';
import { hour } from '#domain/kernel/time.ts';
import { openOverlay, stopOverlay } from '#domain/overlay/set-overlay.ts';
import type { Plan } from '#domain/plan/plans.ts';
import { getRule } from '#domain/rule/list-rules.ts';
import { pauseRule } from '#domain/rule/pause-rule.ts';
import { findSubscription } from '#domain/subscription/find-subscription.ts';
import { addStreamer, nextNumber } from '#tests/support/fixtures.ts';
import { loginOf } from '#tests/support/guests.ts';
import { PasskeyDevice } from '#tests/support/passkey-device.ts';
import { makePushSubscription } from '#tests/support/push-subscription.ts';
import { mailedTokens } from './member.ts';
import { type Owner, password, registered } from './owner.ts';
import { buy, sellingBilling } from './selling.ts';
import { visitorOf } from './signed-in.ts';
import { addSpeaker } from './speaker.ts';
import { Visitor } from './visitor.ts';
import { beginApp, codeOf, turnAppOn } from './with-authenticator.ts';

/** A valid form. */
export interface HonestForm {
  form: Record<string, string>;
  /** The sender, if not the owner. */
  by?: Visitor;
  /** Mail addresses in the form, with a name for each. */
  names?: [string, string][];
}

const letter = { name: 'Demo person', email: 'guest@example.org', message: 'A short message.' };
const next = 'another sentence';
const passkeySite = { origin: 'http://localhost:3000', rpId: 'localhost', name: 'Keepsake' };
const confirmed = { password: next, password_confirmation: next };
const plain = { without_script: 'on' };

/** An unused mail address. */
const newAddress = () => `new-${nextNumber()}@example.org`;

const pickOne = ({ kind }: Owner) => ({
  requestId: newId(Date.now()),
  item: kindKey(kind),
  [`item:${kindKey(kind)}`]: '1',
});

async function signUp(): Promise<HonestForm> {
  const email = newAddress();
  const form = { name: 'Demo person', email, password, terms: 'on', ...plain };
  return { form, by: new Visitor(), names: [[email, 'new address']] };
}

async function newcomer(form: (token: string) => Record<string, string>): Promise<HonestForm> {
  const { userId, email, token } = await registered();
  return {
    form: form(token),
    by: await visitorOf(userId),
    names: [
      [userId, 'newcomer'],
      [email, "newcomer's address"],
    ],
  };
}

async function reset({ email }: Owner): Promise<HonestForm> {
  await requestPasswordReset(await database(), { email }, Date.now());
  const token = (await mailedTokens(email)).at(-1) ?? '';
  return { form: { email, token, ...confirmed }, by: new Visitor() };
}

/** The first visit after a delivery. */
async function delivered({ ids }: Owner): Promise<HonestForm> {
  await (await database()).transaction(async (tx) => {
    const claimed = { state: 'claimed', claimedAtMs: Date.now() } as const;
    await tx.update(rewards).set(claimed).where(eq(rewards.id, ids.rewards));
  });
  return { form: {} };
}

/** The link that the mail about a new API token has. */
async function disown({ userId, email }: Owner): Promise<HonestForm> {
  await issueApiToken(await database(), { userId, name: 'Script' }, Date.now());
  const token = (await mailedTokens(email)).at(-1) ?? '';
  return { form: { token }, by: new Visitor() };
}

async function confirmMessage(): Promise<HonestForm> {
  const email = newAddress();
  const message = { ...letter, email, userId: null, locale: 'en' } as const;
  await sendMessage(await database(), { message, operatorEmail: null, senderProof: 'mailbox' }, Date.now());
  const [token = ''] = await mailedTokens(email);
  return { form: { token }, by: new Visitor() };
}

async function admitOne(): Promise<HonestForm> {
  const db = await database();
  const guest = await addStreamer(db);
  return { form: { login: await loginOf(db, guest) }, names: [[guest.userId, 'new guest']] };
}

function changeEmail(): HonestForm {
  const email = newAddress();
  return { form: { email, password }, names: [[email, 'new address']] };
}

/** An account with items in custody cannot be deleted, so a user without any is deleted. */
async function leave(): Promise<HonestForm> {
  const person = await newcomer((token) => ({ token }));
  await verifyEmail(await database(), { token: person.form.token ?? '' }, Date.now());
  return { ...person, form: { current: password } };
}

/** Somebody with a session, whose app is not on yet. */
async function withoutApp(): Promise<HonestForm & { by: Visitor; userId: string; email: string }> {
  const person = await newcomer((token) => ({ token }));
  const outcome = await verifyEmail(await database(), { token: person.form.token ?? '' }, Date.now());
  if (!outcome.ok || !person.by) throw new Error('not verified');
  const [, [email = ''] = []] = person.names ?? [];
  return { ...person, form: {}, by: person.by, userId: outcome.userId, email };
}

async function enableApp(): Promise<HonestForm> {
  const person = await withoutApp();
  const { userId } = await beginApp(person.by);
  return { ...person, form: { code: await codeOf(userId) } };
}

async function addPasskey(): Promise<HonestForm> {
  const person = await withoutApp();
  const asker = {
    userId: person.userId,
    email: person.email,
    token: person.by.sessionToken(),
    site: passkeySite,
  };
  const options = await askForNewPasskey(await database(), asker, Date.now());
  const passkey = JSON.stringify(new PasskeyDevice().register(options));
  return { ...person, form: { name: 'Phone', passkey } };
}

async function signByPasskey({ userId, visitor, device }: Owner): Promise<HonestForm> {
  const asker = { userId, token: visitor.sessionToken(), site: passkeySite };
  const options = await askForPasskey(await database(), asker, Date.now());
  return { form: { passkey: JSON.stringify(options && device.sign(options)) } };
}

async function withApp() {
  const person = await withoutApp();
  const { userId } = await turnAppOn(person.by);
  return { ...person, form: { code: await codeOf(userId) } };
}

async function secondStep(): Promise<HonestForm> {
  const { email, ...person } = await withApp();
  const by = new Visitor();
  await by.call(signInAction, '/auth/signin', { form: { email, password } });
  return { ...person, by };
}

async function endFreeze({ userId }: Owner): Promise<HonestForm> {
  await (await database()).transaction((tx) =>
    tx.update(users).set({ frozenAtMs: Date.now() }).where(eq(users.id, userId)),
  );
  return { form: {} };
}

const basic: Plan = { product: 'streamer', tier: 'basic', period: 'month' };

async function subscribedForm(owner: Owner, fields: Record<string, string>): Promise<HonestForm> {
  const known = { userId: owner.userId, product: basic.product };
  if (!(await findSubscription((await database()).read, known))) await buy(owner, basic);
  return { form: { product: basic.product, requestId: newId(Date.now()), ...fields } };
}

async function upgrade(owner: Owner): Promise<HonestForm> {
  const { form } = await subscribedForm(owner, {});
  const plan: Plan = { ...basic, tier: 'pro' };
  const preview = await previewChange(await sellingBilling(), { userId: owner.userId, plan });
  // Only the first upgrade begins at once.
  if (!preview.ok || preview.change.when !== 'now') return { form: { ...form, ...plan } };
  const { amountDue, prorationDate } = preview.change;
  const shown = { amountDue: String(amountDue), prorationDate: String(prorationDate) };
  return { form: { ...form, ...plan, ...shown } };
}

async function resumeCancelled(owner: Owner): Promise<HonestForm> {
  const { form } = await subscribedForm(owner, {});
  const asked = { userId: owner.userId, product: basic.product, requestId: newId(Date.now()) };
  const cancelled = await cancelSubscription(await sellingBilling(), asked);
  if (!cancelled.ok) throw new Error(`not cancelled: ${cancelled.code}`);
  return { form };
}

/** The value of OPERATOR_ACCOUNT where the operator's forms are sent. */
export const operatorAddress = 'operator@example.org';
let operatorId: string | null = null;

/** The operator's form, sent while sending is stopped or not. */
async function byOperator(prepare: typeof stopSending): Promise<HonestForm> {
  const db = await database();
  if (operatorId === null) {
    const { userId, token } = await registered(operatorAddress);
    await verifyEmail(db, { token }, Date.now());
    operatorId = userId;
  }
  // It ends before it began, so that no claim window moves.
  await prepare(db, { operatorId }, { nowMs: Date.now(), systemMs: Date.now() + hour });
  return { form: {}, by: await visitorOf(operatorId), names: [[operatorId, 'operator']] };
}

/** The owner's overlay is stopped. */
async function openedOverlay({ userId }: Owner): Promise<HonestForm> {
  await openOverlay(await database(), { userId, locale: 'en' }, Date.now());
  return { form: { act: 'stop' } };
}

/** A program that asks for access. */
const openRequest = async () => requestAccess(await database(), { program: 'Demo' }, Date.now());

/** The form of the page that asks before the owner's address is replaced. */
async function replacedAddress({ userId }: Owner): Promise<HonestForm> {
  const { hashes } = await openOverlay(await database(), { userId, locale: 'en' }, Date.now());
  return { form: { door: 'overlay', replaces: hashes.overlay } };
}

/** The owner's overlay is resumed, which was stopped before. */
async function stoppedOverlay({ userId }: Owner): Promise<HonestForm> {
  await openOverlay(await database(), { userId, locale: 'en' }, Date.now());
  await stopOverlay(await database(), { userId, stops: true }, Date.now());
  return { form: {} };
}

/** A valid form for each action of the product, by path. Those about plans need a web process that sells them. */
export const honestForms: Record<string, (owner: Owner) => HonestForm | Promise<HonestForm>> = {
  '/language': () => ({ form: { language: 'ru', to: '/' } }),
  '/theme': () => ({ form: { theme: 'dark', to: '/' } }),
  '/help': () => ({ form: letter }),
  '/contact_us': () => ({ form: { ...letter, ...plain }, by: new Visitor() }),
  '/contact_us/confirm': confirmMessage,
  '/extension/code': () => ({ form: {} }),
  '/device': async () => ({ form: { user_code: (await openRequest()).userCode, decision: 'allow' } }),
  '/oauth/device_authorization': () => ({ form: { client_id: 'Demo' }, by: new Visitor() }),
  '/oauth/token': async ({ userId }) => {
    const { deviceCode, userCode } = await openRequest();
    await decideAccessRequest(await database(), { userId, userCode, isAllowed: true }, Date.now());
    return {
      form: { grant_type: deviceGrant, device_code: deviceCode, client_id: 'Demo' },
      by: new Visitor(),
    };
  },
  '/email/verify': () => newcomer((token) => ({ token })),
  '/email/unverified': () => newcomer(() => ({})),
  '/auth/signup': signUp,
  '/auth/signin': ({ email }) => ({ form: { email, password }, by: new Visitor() }),
  '/auth/second-step': secondStep,
  '/auth/forgot-password': ({ email }) => ({ form: { email }, by: new Visitor() }),
  '/auth/reset-password': reset,
  '/auth/disown': disown,
  '/auth/signout': () => ({ form: {} }),
  '/profile': ({ tradeLink }) => ({ form: { trade_link: tradeLink.replace(/\w+$/, 'zyxwvuts') } }),
  '/profile/name': () => ({ form: { name: 'Another name' } }),
  '/profile/email': changeEmail,
  '/profile/password': () => ({ form: { current: password, next } }),
  '/profile/confirm': () => ({ form: { current: password } }),
  '/profile/second-factor/begin': withoutApp,
  '/profile/second-factor/app': enableApp,
  '/profile/second-factor/off': withApp,
  '/profile/second-factor/recovery-codes': withApp,
  '/profile/second-factor/passkeys/new': addPasskey,
  '/profile/second-factor/passkeys/:id/remove': signByPasskey,
  '/settings/notifications': () => ({ form: {} }),
  '/settings/push': () => ({ form: { ...makePushSubscription() } }),
  '/settings/public-name': () => ({ form: { hides_name: 'on' } }),
  '/settings/send-delay': () => ({ form: { hours: '24' } }),
  '/settings/sessions/end': () => ({ form: {} }),
  '/settings/sessions/:id/end': () => ({ form: {} }),
  '/settings/freeze': endFreeze,
  '/settings/tokens': () => ({ form: { name: 'Another script' } }),
  '/settings/tokens/:id/revoke': () => ({ form: {} }),
  '/settings/delete': leave,
  '/steam/unlink': () => ({ form: {} }),
  '/twitch/unlink': () => ({ form: {} }),
  '/items/deposit': (owner) => ({ form: pickOne(owner) }),
  '/items/return': (owner) => ({ form: pickOne(owner) }),
  '/raffles': ({ kind }) => ({
    form: {
      act: 'prepare',
      requestId: newId(Date.now()),
      keyword: 'redline',
      kind: kindKey(kind),
      winners: '1',
      minutes: '5',
      winnersOutDays: '0',
      followDays: '',
    },
  }),
  '/rules/new': (owner) =>
    subscribedForm(owner, {
      name: 'For who stays',
      type: 'one',
      channel: '',
      follow: 'on',
      followDays: '7',
      watch: 'on',
      watchAmount: '90',
      watchUnit: 'minutes',
      watchScope: 'allTime',
      subscriber: 'on',
      subscriberTier: '2',
      points: 'on',
      pointsCost: '500',
      claimTimeoutHours: '48',
      confirmed: '1',
    }),
  '/rules/:id/rewards/add': (owner) => ({ form: pickOne(owner) }),
  '/rules/:id/rewards/remove': (owner) => ({ form: pickOne(owner) }),
  '/rules/:id/weights': ({ kind }) => ({ form: { [`weight:${kindKey(kind)}`]: '7' } }),
  '/rules/:id/correct': async ({ ids, userId }) => {
    const rule = await getRule(await database(), { ruleId: ids.rules, ownerId: userId });
    if (!rule) throw new Error('the owner has no rule');
    const form = { ...enteredFor(rule), name: 'Corrected', requestId: newId(Date.now()) };
    return { form: { ...form, confirmed: '1', counted: 'correct 0 0', mode: 'correct' } };
  },
  '/rules/:id/pause': () => ({ form: { how: 'long' } }),
  '/rules/:id/resume': async ({ ids, userId }) => {
    const pausing = { ruleId: ids.rules, userId, resumesAtMs: null };
    await pauseRule(await database(), pausing, Date.now());
    return { form: {} };
  },
  '/rules/:id/delete': () => ({ form: {} }),
  '/rules/who-got-what/:id/stop': () => ({ form: { reason: 'mistake' } }),
  '/billing/checkout': () => ({ form: { ...basic } }),
  '/billing/portal': (owner) => subscribedForm(owner, {}),
  '/billing/change': upgrade,
  '/billing/cancel': (owner) => subscribedForm(owner, {}),
  '/billing/resume': resumeCancelled,
  '/rules/:id/announce': async () => {
    await addSpeaker(await database());
    return { form: {} };
  },
  '/channel': () => ({ form: { logins: 'some_bot, @Another_Bot' } }),
  '/channel/chat': () => ({ form: { locale: 'en', announces: 'on' } }),
  '/channel/commands': () => ({
    form: { rewards: '!prizes', progress: 'progress', watchTime: 'time', claim: 'claim', claim_on: 'on' },
  }),
  '/channel/visibility': () => ({ form: {} }),
  '/channel/overlay': openedOverlay,
  '/channel/overlay/replace': replacedAddress,
  '/channel/overlay/resume': stoppedOverlay,
  '/channel/guests': admitOne,
  '/channel/guests/:id/dismiss': () => ({ form: {} }),
  '/operator/stop': () => byOperator(resumeSending),
  '/operator/resume': () => byOperator(stopSending),
  '/rewards/:id/claim': () => ({ form: {} }),
  '/wins/:id/seen': delivered,
  '/transfers/:id/cancel': () => ({ form: {} }),
};
