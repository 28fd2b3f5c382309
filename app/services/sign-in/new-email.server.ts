import { parseWithZod } from '@conform-to/zod/v4';
import { z } from 'zod';
import { nudgeBot } from '#app/services/bot-client.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { constraintOf, emailField, knownPasswordField } from '#app/services/forms/form-fields.server.ts';
import { replyInvalid, replyRefused, replyTooMany } from '#app/services/forms/form-reply.server.ts';
import { accountRefusals } from '#app/services/forms/refusals.server.ts';
import { clearPasswordLimits, countPassword } from '#app/services/limits/password-limits.server.ts';
import { returnOne, waitSeconds } from '#app/services/limits/rate-limits.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { requestEmailChange } from '#domain/identity/email/request-email-change.ts';

const AddressSchema = z.object({ email: emailField });
const ChangeSchema = AddressSchema.extend({ password: knownPasswordField });
const schemaFor = (hasPassword: boolean) => (hasPassword ? ChangeSchema : AddressSchema);

/** The validation attributes of the form that asks for another address. */
export const newEmailConstraint = (hasPassword: boolean) => constraintOf(schemaFor(hasPassword));

/** Sends a link to the address in a form, and goes on to a page; or answers with the errors of the form. */
export async function sendToNewEmail(
  form: FormData,
  { account, address }: { account: { id: string; email: string; hasPassword: boolean }; address: string },
  next: { to: string; body: 'identity.email.sentBody' | 'identity.email.sentInstead' },
) {
  const { id: userId, hasPassword, email: present } = account;
  const submission = parseWithZod(form, { schema: schemaFor(hasPassword) });
  if (submission.status !== 'success') return replyInvalid(submission);
  const place = { account: present, address };
  const wait =
    (await countPassword('confirm', place)) ||
    (await waitSeconds('changeEmailByAccount', userId)) ||
    (await waitSeconds('changeEmailInADay', userId));
  if (wait > 0) return replyTooMany(submission, wait);
  const change = { userId, password: '', ...submission.value };
  const outcome = await requestEmailChange(await database(), change, await domainNow());
  if (!outcome.ok) {
    // Nothing was mailed, so the attempt is given back. Otherwise somebody who guesses in a stolen session
    // would keep the owner from a new address for a day.
    await returnOne('changeEmailInADay', userId);
    const field = outcome.code === 'passwordWrong' ? undefined : ('email' as const);
    return replyRefused(submission, accountRefusals[outcome.code], field);
  }
  await clearPasswordLimits('confirm', place);
  nudgeBot();
  const { email } = change;
  return redirectWithToast(next.to, {
    ...{ type: 'info', title: 'identity.email.sent', body: next.body, values: { email } },
  });
}
