import type { Locale } from '#db/schema/user.ts';
import type { MailTemplate, MailValues } from '#domain/outbox/queue-mail.ts';

/** The content of a mail, before layout. */
export interface MailText {
  subject: string;
  /** The line that a list of mails shows beside the subject. */
  preview?: string;
  /** The first line of the letter; the subject if omitted. */
  headline?: string;
  paragraphs: string[];
  /** The button, if there is one. */
  action?: { label: string; url: string };
  /** Named facts, one per line. */
  facts?: [name: string, value: string][];
  /** Text written by somebody else, set apart from ours. */
  quote?: string;
  footnote: string;
  /** A fingerprint to save, with its name. */
  fingerprint?: { label: string; value: string };
  /** The address for replies, if they do not go to us. */
  replyTo?: string;
}
export type MailTexts = { [T in MailTemplate]: (values: MailValues[T], publicUrl: URL) => MailText };

const page = (path: string, query: Record<string, string>, publicUrl: URL) => {
  const url = new URL(path, publicUrl);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
};

/** URLs of the pages that mails link to. */
export const verifyUrl = (token: string, publicUrl: URL) => page('/email/verify', { token }, publicUrl);
export const resetUrl = (token: string, email: string, publicUrl: URL) =>
  page('/auth/reset-password', { token, email }, publicUrl);
export const disownUrl = (token: string, publicUrl: URL) => page('/auth/disown', { token }, publicUrl);
export const forgotUrl = (publicUrl: URL) => page('/auth/forgot-password', {}, publicUrl);
export const transfersUrl = (publicUrl: URL) => page('/transfers', { kind: 'claim' }, publicUrl);
export const rewardsUrl = (publicUrl: URL) => page('/rewardProgress', {}, publicUrl);
export const ruleUrl = (ruleId: string, publicUrl: URL) =>
  page(`/rules/${encodeURIComponent(ruleId)}`, {}, publicUrl);
export const rulesUrl = (publicUrl: URL) => page('/rules', {}, publicUrl);
export const proofUrl = (proof: string, publicUrl: URL) =>
  page(`/proof/${proof.split('/').map(encodeURIComponent).join('/')}`, {}, publicUrl);
export const billingUrl = (publicUrl: URL) => page('/billing', {}, publicUrl);
export const channelUrl = (publicUrl: URL) => page('/channel', {}, publicUrl);
export const profileUrl = (publicUrl: URL) => page('/profile', {}, publicUrl);
export const signInUrl = (publicUrl: URL) => page('/auth/signin', {}, publicUrl);
export const confirmMessageUrl = (token: string, publicUrl: URL) =>
  page('/contact_us/confirm', { token }, publicUrl);
export const contactUrl = (publicUrl: URL) => page('/contact_us', {}, publicUrl);

export const settingsUrl = (publicUrl: URL) => page('/settings', {}, publicUrl);
export const custodyUrl = (publicUrl: URL) => page('/items/custody', {}, publicUrl);

/** The regions whose order of day and month the languages follow. */
const regions: Record<Locale, string> = { en: 'en-GB', ru: 'ru-RU' };

/** An amount in minor units; all our currencies have two decimals. */
export const money = (amount: string, currency: string, locale: Locale): string =>
  new Intl.NumberFormat(locale, { style: 'currency', currency }).format(Number(amount) / 100);

/** Formats a time with its day in the receiver's zone, or in UTC, which is then named. */
export function moment(ms: string, locale: Locale, timeZone: string | undefined): string {
  const text = new Date(Number(ms)).toLocaleString(regions[locale], {
    weekday: 'short',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZone: timeZone ?? 'UTC',
  });
  return timeZone === undefined ? `${text} UTC` : text;
}
