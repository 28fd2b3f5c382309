import type { Locale } from '#db/schema/user.ts';
import type { MailTemplate, MailValues } from '#domain/outbox/queue-mail.ts';

/** What a mail says, before it is laid out. */
export interface MailText {
  subject: string;
  paragraphs: string[];
  /** The one thing to do, if there is one. */
  action?: { label: string; url: string };
  /** What somebody else wrote, kept apart from our own words. */
  quote?: string;
  footnote: string;
  /** Where an answer goes, when not to us. */
  replyTo?: string;
}
export type MailTexts = { [T in MailTemplate]: (values: MailValues[T], publicUrl: URL) => MailText };

const page = (path: string, query: Record<string, string>, publicUrl: URL) => {
  const url = new URL(path, publicUrl);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
};

/** The pages that mails lead to. */
export const verifyUrl = (token: string, publicUrl: URL) => page('/email/verify', { token }, publicUrl);
export const resetUrl = (token: string, email: string, publicUrl: URL) =>
  page('/auth/reset-password', { token, email }, publicUrl);
export const forgotUrl = (publicUrl: URL) => page('/auth/forgot-password', {}, publicUrl);
export const rewardsUrl = (publicUrl: URL) => page('/rewardProgress', {}, publicUrl);
export const ruleUrl = (ruleId: string, publicUrl: URL) =>
  page(`/rules/${encodeURIComponent(ruleId)}`, {}, publicUrl);
export const proofUrl = (proof: string, publicUrl: URL) =>
  page(`/proof/${proof.split('/').map(encodeURIComponent).join('/')}`, {}, publicUrl);
export const profileUrl = (publicUrl: URL) => page('/profile', {}, publicUrl);
export const signInUrl = (publicUrl: URL) => page('/auth/signin', {}, publicUrl);
export const confirmMessageUrl = (token: string, publicUrl: URL) =>
  page('/contact_us/confirm', { token }, publicUrl);
export const contactUrl = (publicUrl: URL) => page('/contact_us', {}, publicUrl);

/** A moment that reads the same wherever the mail is opened. */
export const moment = (ms: string, locale: Locale) =>
  new Date(Number(ms)).toLocaleString(locale, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });
