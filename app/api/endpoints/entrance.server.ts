import { z } from 'zod';
import { siteHost } from '#app/config.server.ts';
import { nudgeBot } from '#app/services/bot-client.server.ts';
import { captcha } from '#app/services/captcha/captcha.server.ts';
import {
  emailField,
  nameField,
  newPasswordField,
  requiredText,
} from '#app/services/forms/form-fields.server.ts';
import { accountRefusals, invalidCaptcha } from '#app/services/forms/refusals.server.ts';
import { clearPasswordLimits } from '#app/services/limits/password-limits.server.ts';
import { everyone, here, type LimitedAct } from '#app/services/limits/rate-limits.server.ts';
import { registerUser } from '#domain/account/register-user.ts';
import { resetPassword } from '#domain/account/reset-password.ts';
import { verifyEmail } from '#domain/account/verify-email.ts';
import type { SolvedCaptcha } from '#domain/identity/access/consume-captcha.ts';
import { emailAddress } from '#domain/identity/email/email-address.ts';
import { choosePassword } from '#domain/identity/password/choose-password.ts';
import { requestPasswordReset } from '#domain/identity/password/request-password-reset.ts';
import { done, type Outcome, refuse as refused } from '#domain/kernel/outcome.ts';
import { endpoint } from '../endpoint.ts';
import { requireAttempts } from '../limits.server.ts';
import { users } from '../resources.ts';
import { accountsIncluded, base, some } from './fields.ts';
import { enter, renewCookies } from './session.server.ts';

/** A solved captcha, as its widget encodes it. */
export const captchaField = z.string().max(10_000).optional();

/** Two fields that must be equal; the second is the repeated input. */
const repeated = { password: newPasswordField, password_confirmation: z.string().max(200) };
export const isRepeated = (body: {
  password?: string | undefined;
  password_confirmation?: string | undefined;
}) => body.password === body.password_confirmation;
export const notRepeated = { error: 'api.passwordsDiffer', path: ['password_confirmation'] };

/** Checks a captcha answer. Without one, stricter limits apply, as for browsers without JavaScript. */
export async function readCaptcha(
  answer: string | undefined,
  limits: Record<'solved' | 'plain', Partial<Record<LimitedAct, string>>>,
): Promise<Outcome<{ solved: SolvedCaptcha | null }, 'captchaInvalid'>> {
  const solved = answer ? await captcha().check(answer) : null;
  if (answer && !solved) return refused('captchaInvalid');
  await requireAttempts(solved ? limits.solved : limits.plain);
  return done({ solved });
}

export const entranceEndpoints = [
  endpoint({
    method: 'POST',
    path: `${base}/register`,
    name: 'register',
    access: 'anyone',
    body: {
      type: 'users',
      attributes: z
        .strictObject({
          name: nameField,
          email: emailField,
          ...repeated,
          terms: z.literal(true, { error: 'errors.field.accept' }),
          captcha: captchaField,
        })
        .refine(isRepeated, notRepeated),
    },
    includes: accountsIncluded,
    answers: { status: 201, data: 'one', of: [users], says: true },
    refuses: {
      ...some(accountRefusals, 'emailTaken', 'captchaSpent', 'passwordCommon', 'passwordPersonal'),
      captchaInvalid: invalidCaptcha,
    },
    async handle({ request, db, nowMs, body, address, language: locale, refuse }) {
      const read = await readCaptcha(body.captcha, {
        solved: { signUpByAddress: address },
        plain: { signUpByAddress: address, signUpPlainByAddress: address, signUpPlain: everyone },
      });
      if (!read.ok) return refuse(read.code, 'captcha');
      const { name, email } = body;
      const chosen = await choosePassword(body.password, { name, email, site: siteHost() });
      if (!chosen.ok) return refuse(chosen.code, 'password');
      const { passwordHash } = chosen;
      const person = { name, email, passwordHash, locale, captcha: read.solved };
      const outcome = await registerUser(db, person, nowMs);
      if (!outcome.ok) return refuse(outcome.code, outcome.code === 'emailTaken' ? 'email' : 'captcha');
      nudgeBot();
      return { ...(await enter(request, db, outcome.userId)), says: 'messages.registered' };
    },
  }),
  endpoint({
    method: 'POST',
    path: `${base}/email/verifications`,
    name: 'verifyEmail',
    access: 'anyone',
    body: { type: 'email-verifications', attributes: z.strictObject({ token: requiredText(200) }) },
    refuses: some(
      accountRefusals,
      'verificationUnknown',
      'verificationUsed',
      'verificationExpired',
      'emailTaken',
    ),
    async handle({ request, db, nowMs, account, proof, body, refuse }) {
      const outcome = await verifyEmail(db, body, nowMs);
      if (!outcome.ok) return refuse(outcome.code, 'token');
      // A change of rights issues a new session token, so that a stolen old one gains nothing.
      const isOwn = proof.by === 'cookie' && account?.id === outcome.userId;
      return {
        data: null,
        cookies: isOwn ? await renewCookies(request, outcome.userId, { isProof: false }) : [],
      };
    },
  }),
  endpoint({
    method: 'POST',
    path: `${base}/forgot-password`,
    name: 'requestPasswordReset',
    access: 'anyone',
    body: { type: 'password-resets', attributes: z.strictObject({ email: emailField }) },
    answers: { status: 202 },
    async handle({ db, nowMs, body, address }) {
      await requireAttempts({ resetByAccount: emailAddress(body.email), resetByAddress: address });
      await requestPasswordReset(db, body, nowMs);
      nudgeBot();
      return { data: null };
    },
  }),
  endpoint({
    method: 'POST',
    path: `${base}/reset-password`,
    name: 'resetPassword',
    access: 'anyone',
    body: {
      type: 'passwords',
      attributes: z
        .strictObject({ email: emailField, token: requiredText(200), ...repeated })
        .refine(isRepeated, notRepeated),
    },
    answers: { says: true },
    refuses: some(accountRefusals, 'resetLinkBad', 'passwordCommon', 'passwordPersonal'),
    async handle({ db, nowMs, body, address, refuse }) {
      const { email, token, password } = body;
      const account = emailAddress(email);
      await requireAttempts({ newPasswordByAddress: address, newPasswordHere: here(account, address) });
      const outcome = await resetPassword(db, { email, token, password, site: siteHost() }, nowMs);
      if (!outcome.ok) return refuse(outcome.code, outcome.code === 'resetLinkBad' ? undefined : 'password');
      // Earlier wrong guesses from here must not keep the owner out.
      await clearPasswordLimits('signIn', { account, address });
      return { data: null, says: 'messages.passwordUpdated' };
    },
  }),
];
