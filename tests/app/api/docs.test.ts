import './support/web.ts';
import { expect, test } from 'vitest';
import { onlyOnSite } from '#app/api/only-on-site.ts';
import { resourceKinds } from '#app/api/resources.ts';
import { table } from '#app/api/table.server.ts';
import { languages } from '#app/locales/languages.ts';
import { translations } from '#app/services/translations.server.ts';
import { routeModules } from '../support/route-modules.ts';
import { Reader } from '../support/site.ts';

/** The act of each page’s form: a call of the API, or one that is listed as only on the site. */
const acts: Record<string, string> = {
  '/language': 'updateUser',
  '/theme': 'updateUser',
  '/help': 'sendMessage',
  '/contact_us': 'sendMessage',
  '/contact_us/confirm': 'mails',
  '/auth/disown': 'mails',
  '/email/verify': 'verifyEmail',
  '/email/unverified': 'resendVerification',
  '/extension/code': 'appCode',
  '/device': 'programs',
  '/auth/signup': 'register',
  '/auth/signin': 'signIn',
  '/auth/second-step': 'signIn',
  '/auth/forgot-password': 'requestPasswordReset',
  '/auth/reset-password': 'resetPassword',
  '/auth/signout': 'signOut',
  '/profile': 'setTradeLink',
  '/profile/name': 'updateUser',
  '/profile/email': 'updateUser',
  '/profile/password': 'updateUser',
  '/profile/confirm': 'confirmation',
  '/profile/second-factor/begin': 'secondFactor',
  '/profile/second-factor/app': 'secondFactor',
  '/profile/second-factor/off': 'secondFactor',
  '/profile/second-factor/passkeys/new': 'secondFactor',
  '/profile/second-factor/passkeys/:id/remove': 'secondFactor',
  '/profile/second-factor/recovery-codes': 'secondFactor',
  '/settings/notifications': 'updateUser',
  '/settings/push': 'devices',
  '/settings/public-name': 'privacy',
  '/settings/send-delay': 'setSendDelay',
  '/settings/sessions/end': 'sessions',
  '/settings/sessions/:id/end': 'sessions',
  '/settings/tokens': 'tokens',
  '/settings/tokens/:id/revoke': 'tokens',
  '/settings/delete': 'privacy',
  '/settings/freeze': 'freeze',
  '/steam/unlink': 'unlinkSteam',
  '/twitch/unlink': 'unlinkTwitch',
  '/items/deposit': 'depositItems',
  '/items/return': 'returnItems',
  '/billing/checkout': 'startCheckout',
  '/billing/portal': 'openBillingPortal',
  '/billing/change': 'changePlan',
  '/billing/cancel': 'cancelSubscription',
  '/billing/resume': 'resumeSubscription',
  '/raffles': 'prepareRaffle',
  '/rules/new': 'createRule',
  '/rules/who-got-what/:id/stop': 'stopClaim',
  '/rules/:id/rewards/add': 'addRewards',
  '/rules/:id/rewards/remove': 'removeRewards',
  '/rules/:id/weights': 'setWeights',
  '/rules/:id/correct': 'correctRule',
  '/rules/:id/announce': 'announcing',
  '/rules/:id/pause': 'pauseRule',
  '/rules/:id/resume': 'resumeRule',
  '/rules/:id/delete': 'closeRule',
  '/channel': 'channel',
  '/channel/chat': 'channel',
  '/channel/commands': 'channel',
  '/channel/visibility': 'channel',
  '/channel/overlay': 'channel',
  '/channel/overlay/replace': 'channel',
  '/channel/overlay/resume': 'channel',
  '/dock/:secret': 'channel',
  '/channel/guests': 'admitGuest',
  '/channel/guests/:id/dismiss': 'dismissGuest',
  '/rewards/:id/claim': 'claimReward',
  '/wins/:id/seen': 'wins',
  '/transfers/:id/cancel': 'cancelTransfer',
  '/operator/stop': 'operator',
  '/operator/resume': 'operator',
};

/** Addresses that no person reaches with a form. */
const notForPeople = [
  '/webhooks/stripe',
  '/oauth/device_authorization',
  '/oauth/token',
  '/api/*',
  '/sanctum/csrf-cookie',
  '/*',
];

test('Whatever a form of the site does is a call of the API, or listed as only on the site', async () => {
  const forms = (await routeModules()).filter(({ action }) => action).map(({ path }) => path);
  expect(Object.keys(acts).sort()).toEqual(forms.filter((path) => !notForPeople.includes(path)).sort());
  const known = [...table.map(({ name }) => name), ...Object.keys(onlyOnSite)];
  expect(Object.values(acts).filter((act) => !known.includes(act))).toEqual([]);
});

test('Each page that is named as only on the site exists', async () => {
  const paths = (await routeModules()).map(({ path }) => path);
  for (const page of Object.values(onlyOnSite))
    expect(page === null || paths.includes(page), `${page}`).toBe(true);
});

test.each(languages)('The page about the API is written in %s throughout', async (language) => {
  const { status, html } = await new Reader(language).open('/api/docs');
  expect(status).toBe(200);
  const { t } = translations(language);
  const escaped = (text: string) =>
    text.replaceAll('&', '&amp;').replaceAll("'", '&#x27;').replaceAll('"', '&quot;');
  for (const { name } of table) expect(html).toContain(escaped(t(`apiCalls.${name}`)));
  for (const { type } of resourceKinds) expect(html).toContain(escaped(t(`apiResources.${type}`)));
  for (const act of Object.keys(onlyOnSite) as (keyof typeof onlyOnSite)[])
    expect(html).toContain(escaped(t(`api.docs.onlyOnSite.${act}`)));
});

test('No text about the API is in Latin letters alone in Russian, nor about a call or a type that does not exist', () => {
  const { t, has } = translations('ru');
  for (const { name } of table) expect(t(`apiCalls.${name}`), name).toMatch(/[а-яё]{3}/i);
  for (const { type } of resourceKinds) expect(t(`apiResources.${type}`), type).toMatch(/[а-яё]{3}/i);
  expect(has('apiCalls.nothing')).toBe(false);
});

test('The calls that may ask for a proof are named, each with a link to it', async () => {
  const { html } = await new Reader('en').open('/api/docs');
  const asking = table.filter(({ refuses }) => 'identityUnconfirmed' in refuses).map(({ name }) => name);
  expect(asking).toEqual(expect.arrayContaining(['unlinkTwitch', 'unlinkSteam', 'closeRule', 'updateUser']));
  for (const name of asking) expect(html).toContain(`href="#${name}"`);
});
