import { z } from 'zod';
import { config, siteHost } from '#app/config.server.ts';
import { languageContext } from '#app/middleware/contexts.server.ts';
import { nudgeBot } from '#app/services/bot-client.server.ts';
import {
  emailField,
  knownPasswordField,
  longText,
  nameField,
  newPasswordField,
} from '#app/services/forms/form-fields.server.ts';
import {
  accountRefusals,
  contactRefusals,
  invalidCaptcha,
  type RefusalText,
} from '#app/services/forms/refusals.server.ts';
import { clearPasswordLimits, countPassword } from '#app/services/limits/password-limits.server.ts';
import { everyone, returnOne } from '#app/services/limits/rate-limits.server.ts';
import { saveLanguage, saveTheme } from '#app/services/preferences.server.ts';
import { sessionToken } from '#app/services/sign-in/session.server.ts';
import { locales, themes } from '#db/schema/user.ts';
import { renameUser } from '#domain/account/rename-user.ts';
import { setPreferences } from '#domain/account/set-preferences.ts';
import { sendMessage } from '#domain/contact/send-message.ts';
import { emailAddress } from '#domain/identity/email/email-address.ts';
import { requestEmailChange } from '#domain/identity/email/request-email-change.ts';
import { changePassword } from '#domain/identity/password/change-password.ts';
import { done, refuse } from '#domain/kernel/outcome.ts';
import { isConfirmedCall } from '../caller.server.ts';
import { type Call, endpoint } from '../endpoint.ts';
import { requireAttempts, tooMany } from '../limits.server.ts';
import { users } from '../resources.ts';
import { userNow } from './account.server.ts';
import { captchaField, isRepeated, notRepeated, readCaptcha } from './entrance.server.ts';
import { base, some } from './fields.ts';
import { renewCookies } from './session.server.ts';

const profile = z
  .strictObject({
    name: nameField.optional(),
    email: emailField.optional(),
    password: newPasswordField.optional(),
    password_confirmation: z.string().max(200).optional(),
    current_password: knownPasswordField.default(''),
    settings: z
      .strictObject({
        language: z.enum(locales).optional(),
        theme: z.enum(themes).optional(),
        notify_by_mail: z.boolean().optional(),
      })
      .default({}),
  })
  .refine(isRepeated, notRepeated);
const sessionNeeded: RefusalText = { status: 403, key: 'api.sessionNeeded' };
/** The field that each refusal concerns. */
const faultyField = {
  passwordWrong: 'current_password',
  passwordCommon: 'password',
  passwordPersonal: 'password',
  emailUnchanged: 'email',
  sessionNeeded: undefined,
  identityUnconfirmed: undefined,
} as const;

type ProfileCall = Pick<
  Call<'verified'>,
  'request' | 'context' | 'db' | 'nowMs' | 'account' | 'address' | 'proof'
> & {
  body: z.output<typeof profile>;
};

/**
 * Changes that need the password come first, so that a wrong password leaves everything unchanged. A new password
 * cancels pending address changes, so the address change of this call follows it.
 */
async function changeSecrets({ request, context, db, nowMs, account, address, body, proof }: ProfileCall) {
  const { email, password, current_password: current } = body;
  const userId = account.id;
  if (email === undefined && password === undefined) return done({ passwordChanged: false });
  // A leaked token or session must not be enough to take over the account: without a password, and with a
  // second factor, only a confirmed session may do this.
  const isPasswordEnough = account.hasPassword && !account.hasSecondFactor;
  if (!isPasswordEnough && proof.by === 'token') return refuse('sessionNeeded');
  if (!isPasswordEnough && !isConfirmedCall({ context, proof })) return refuse('identityUnconfirmed');
  const place = { account: account.email, address };
  const wait = await countPassword('confirm', place);
  if (wait > 0) throw tooMany(wait);
  if (email !== undefined) {
    await requireAttempts({ changeEmailByAccount: userId });
    await requireAttempts({ changeEmailInADay: userId });
  }
  // Returns the attempts if nothing was mailed. Otherwise somebody who guesses with a stolen token would keep
  // the owner from a new address for a day.
  const unmailed = async <O>(outcome: O): Promise<O> => {
    if (email !== undefined) await returnOne('changeEmailInADay', userId);
    return outcome;
  };
  if (password !== undefined) {
    if (email !== undefined && emailAddress(email) === emailAddress(account.email))
      return unmailed(refuse('emailUnchanged'));
    const currentToken = (await sessionToken(request)) ?? '';
    const change = { userId, current, next: password, currentToken, site: siteHost() };
    const outcome = await changePassword(db, change, nowMs);
    if (!outcome.ok) return unmailed(outcome);
  }
  if (email !== undefined) {
    const change = { userId, email, password: password ?? current };
    const outcome = await requestEmailChange(db, change, nowMs);
    if (!outcome.ok) return unmailed(outcome);
    nudgeBot();
  }
  await clearPasswordLimits('confirm', place);
  return done({ passwordChanged: password !== undefined });
}

/** A new password ends all sessions; this browser continues with a fresh token. */
const freshCookies = async ({ request, account, proof }: ProfileCall): Promise<string[]> =>
  proof.by === 'cookie' ? renewCookies(request, account.id, { isProof: true }) : [];

/** A changed language or theme applies at once: in this answer, and for a browser with the next page. */
async function chosenCookies({ context, proof, body }: ProfileCall): Promise<string[]> {
  const { language, theme } = body.settings;
  if (language) context.set(languageContext, language);
  if (proof.by !== 'cookie') return [];
  return [...(language ? [await saveLanguage(language)] : []), ...(theme ? [await saveTheme(theme)] : [])];
}

export const profileEndpoints = [
  endpoint({
    method: 'PATCH',
    path: `${base}/users`,
    name: 'updateUser',
    access: 'verified',
    body: { type: 'users', attributes: profile, names: 'caller' },
    includes: { steamAccount: true, twitchAccount: true },
    answers: {
      data: 'one',
      of: [users],
      meta: z.strictObject({ email_pending: z.string().nullable(), message: z.string().optional() }),
    },
    refuses: {
      ...some(
        accountRefusals,
        'passwordWrong',
        'passwordCommon',
        'passwordPersonal',
        'emailUnchanged',
        'identityUnconfirmed',
      ),
      sessionNeeded,
    },
    async handle(call) {
      const { db, nowMs, account, body, refuse } = call;
      const changed = await changeSecrets(call);
      if (!changed.ok) return refuse(changed.code, faultyField[changed.code]);
      const { name, settings } = body;
      if (name !== undefined) await renameUser(db, { userId: account.id, name }, nowMs);
      const { language: locale, theme, notify_by_mail: notifyByMail } = settings;
      const preferences = {
        ...(locale && { locale }),
        ...(theme && { theme }),
        ...(notifyByMail !== undefined && { notifyByMail }),
      };
      await setPreferences(db, { userId: account.id, preferences });
      const answer = {
        data: await userNow(db, account.id),
        meta: { email_pending: body.email ?? null },
      };
      const chosen = await chosenCookies(call);
      if (!changed.passwordChanged) return { ...answer, cookies: chosen };
      const cookies = [...(await freshCookies(call)), ...chosen];
      return { ...answer, cookies, says: 'messages.passwordUpdated' };
    },
  }),
  endpoint({
    method: 'POST',
    path: `${base}/contact`,
    name: 'sendMessage',
    access: 'anyone',
    body: {
      type: 'contact-messages',
      attributes: z.strictObject({
        name: nameField,
        email: emailField,
        message: longText(4000),
        captcha: captchaField,
      }),
    },
    answers: { status: 202, says: true },
    refuses: { ...some(contactRefusals, 'captchaSpent'), captchaInvalid: invalidCaptcha },
    async handle({ db, nowMs, account, body, address, language: locale, refuse }) {
      const { name, email, message: text } = body;
      const known = account?.verified && { contactByAccount: account.id, contactByAddress: address };
      const read = await readCaptcha(known ? undefined : body.captcha, {
        solved: { contactByAddress: address },
        plain: known || {
          contactByAddress: address,
          contactPlainByAddress: address,
          contactPlainByMailbox: emailAddress(email),
          contactPlain: everyone,
        },
      });
      if (!read.ok) return refuse(read.code, 'captcha');
      const message = { userId: account?.id ?? null, name, email, message: text, locale };
      const { operatorEmail } = config();
      const senderProof = known ? 'account' : (read.solved ?? 'mailbox');
      const outcome = await sendMessage(db, { message, operatorEmail, senderProof }, nowMs);
      if (!outcome.ok) return refuse(outcome.code, 'captcha');
      nudgeBot();
      return { data: null, says: outcome.waits ? 'contact.confirm.sent' : 'messages.messageSent' };
    },
  }),
];
