import { z } from 'zod';
import { nudgeBot } from '#app/services/bot-client.server.ts';
import { leaveChannel } from '#app/services/channels/channel-leaving.server.ts';
import { requiredText } from '#app/services/forms/form-fields.server.ts';
import { accountRefusals, deadTradeLink } from '#app/services/forms/refusals.server.ts';
import { checkTradeLink } from '#app/services/items/trade-link-check.server.ts';
import { revokeTwitchToken } from '#app/services/sign-in/twitch-sign-in.server.ts';
import { vault } from '#app/services/vault.server.ts';
import type { Database } from '#db/database.ts';
import { getAccount } from '#domain/account/get-account.ts';
import { setTradeLink } from '#domain/account/steam/set-trade-link.ts';
import { unlinkSteam } from '#domain/account/steam/unlink-steam.ts';
import { unlinkTwitch } from '#domain/account/twitch/unlink-twitch.ts';
import { resendVerification } from '#domain/identity/email/resend-verification.ts';
import { sendDelays, setSendDelay } from '#domain/identity/send-delay.ts';
import { isConfirmedCall } from '../caller.server.ts';
import { endpoint } from '../endpoint.ts';
import { requireAttempts } from '../limits.server.ts';
import { linkedAccounts, userResource } from '../present.server.ts';
import { steamAccounts, twitchAccounts, users } from '../resources.ts';
import { accountsIncluded, base, some } from './fields.ts';

const oneUser = { data: 'one', of: [users] } as const;

/** The user's current state, after a call changed it. */
export async function userNow(db: Database, userId: string) {
  const account = await getAccount(db, { userId });
  return account && userResource(account);
}

export const accountEndpoints = [
  endpoint({
    method: 'GET',
    path: `${base}/users`,
    name: 'getUser',
    access: 'signedIn',
    includes: accountsIncluded,
    answers: oneUser,
    async handle({ account }) {
      return { data: userResource(account) };
    },
  }),
  endpoint({
    method: 'GET',
    path: `${base}/users/accounts`,
    name: 'listLinkedAccounts',
    access: 'signedIn',
    answers: { data: 'many', of: [steamAccounts, twitchAccounts] },
    async handle({ account }) {
      return { data: Object.values(linkedAccounts(account)).flatMap((each) => each ?? []) };
    },
  }),
  endpoint({
    method: 'POST',
    path: `${base}/users/logout_twitch`,
    name: 'unlinkTwitch',
    access: 'verified',
    includes: accountsIncluded,
    answers: { ...oneUser, meta: z.strictObject({ custom_rewards_off: z.boolean() }) },
    refuses: some(accountRefusals, 'identityUnconfirmed', 'twitchNotLinked', 'passwordMissing'),
    async handle({ context, proof, db, nowMs, account, refuse }) {
      if (!isConfirmedCall({ context, proof })) return refuse('identityUnconfirmed');
      const { twitch, hasPassword } = account;
      const left = !twitch || !hasPassword || (await leaveChannel(db, twitch.id));
      const outcome = await unlinkTwitch(db, { vault: vault(), userId: account.id }, nowMs);
      if (!outcome.ok) return refuse(outcome.code);
      await revokeTwitchToken(outcome.accessToken);
      return { data: await userNow(db, account.id), meta: { custom_rewards_off: left } };
    },
  }),
  endpoint({
    method: 'POST',
    path: `${base}/users/logout_steam`,
    name: 'unlinkSteam',
    access: 'verified',
    includes: accountsIncluded,
    answers: oneUser,
    refuses: some(accountRefusals, 'identityUnconfirmed', 'steamNotLinked'),
    async handle({ context, proof, db, nowMs, account, refuse }) {
      if (!isConfirmedCall({ context, proof })) return refuse('identityUnconfirmed');
      const outcome = await unlinkSteam(db, { userId: account.id }, nowMs);
      return outcome.ok ? { data: await userNow(db, account.id) } : refuse(outcome.code);
    },
  }),
  endpoint({
    method: 'POST',
    path: `${base}/users/update_steam_trade_link`,
    name: 'setTradeLink',
    access: 'verified',
    body: { type: 'users', attributes: z.strictObject({ trade_link: requiredText(200) }) },
    includes: accountsIncluded,
    answers: { ...oneUser, says: true, meta: z.strictObject({ hold_days: z.int().nullable() }) },
    refuses: {
      ...some(
        accountRefusals,
        'identityUnconfirmed',
        'tradeLinkMalformed',
        'steamNotLinked',
        'tradeLinkNotYours',
      ),
      tradeLinkDead: deadTradeLink,
    },
    async handle({ context, proof, db, nowMs, account, body, refuse }) {
      const tradeLink = body.trade_link;
      const present = account.steam?.tradeLink;
      if (present && present !== tradeLink && !isConfirmedCall({ context, proof }))
        return refuse('identityUnconfirmed');
      const check = await checkTradeLink(tradeLink, account);
      if (check.state === 'dead') return refuse('tradeLinkDead', 'trade_link');
      const outcome = await setTradeLink(db, { userId: account.id, tradeLink }, nowMs);
      if (!outcome.ok) return refuse(outcome.code, 'trade_link');
      const holdDays = check.state === 'alive' ? check.holdDays : null;
      const data = await userNow(db, account.id);
      return { data, says: 'messages.tradeLinkUpdated', meta: { hold_days: holdDays } };
    },
  }),
  endpoint({
    method: 'POST',
    path: `${base}/users/update_send_delay`,
    name: 'setSendDelay',
    access: 'verified',
    body: { type: 'users', attributes: z.strictObject({ hours: z.literal(sendDelays) }) },
    includes: accountsIncluded,
    answers: oneUser,
    refuses: some(accountRefusals, 'identityUnconfirmed'),
    async handle({ context, proof, db, nowMs, account, body: { hours }, refuse }) {
      const isConfirmed = isConfirmedCall({ context, proof });
      const outcome = await setSendDelay(db, { userId: account.id, hours, isConfirmed }, nowMs);
      return outcome.ok ? { data: await userNow(db, account.id) } : refuse(outcome.code);
    },
  }),
  endpoint({
    method: 'POST',
    path: `${base}/email/verification-notification`,
    name: 'resendVerification',
    access: 'signedIn',
    answers: { status: 202, says: true },
    refuses: some(accountRefusals, 'alreadyVerified'),
    async handle({ db, nowMs, account, address, refuse }) {
      await requireAttempts({ resendByAccount: account.id, resendByAddress: address });
      await requireAttempts({ resendInADay: account.id });
      const outcome = await resendVerification(db, { userId: account.id }, nowMs);
      if (!outcome.ok) return refuse(outcome.code);
      nudgeBot();
      return { data: null, says: 'messages.verificationSent' };
    },
  }),
];
