import { type MailText, settingsUrl } from '#bot/mail/letter.ts';
import { letters } from '#bot/mail/letters.ts';
import type { Locale } from '#db/schema/user.ts';
import { mailKindOf } from '#domain/outbox/mail-kinds.ts';
import type { MailTemplate } from '#domain/outbox/queue-mail.ts';
import { harmlessMarkup, harmlessText } from '#platform/harmless.ts';
import { isolated } from '#platform/isolated.ts';
import { type LetterFrame, letterHtml, letterText } from './letter-layout.ts';

export interface WrittenMail {
  subject: string;
  text: string;
  html: string;
  replyTo?: string;
}

/** The addresses of the product, and of Steam's pictures of items. */
interface Addresses {
  publicUrl: URL;
  imageUrl: URL;
}

const settingsLabels: Record<Locale, string> = {
  en: 'Change what we email you',
  ru: 'Настроить письма',
};

/**
 * Names that people chose are isolated in sentences and subjects, but not in addresses, which are also parts
 * of links.
 */
const shown = ({ email, ...values }: Record<string, string>): Record<string, string> => ({
  ...Object.fromEntries(Object.entries(values).map(([name, value]) => [name, isolated(value)])),
  ...(email !== undefined && { email }),
});

/** Renders a queued mail in the recipient's language; null when its template is unknown. */
export function writeMail(
  mail: { template: string; locale: Locale; values: Record<string, string> },
  { publicUrl, imageUrl }: Addresses,
): WrittenMail | null {
  const { template, locale } = mail;
  const values = shown(mail.values);
  const letter = letters[locale][template as MailTemplate] as
    | ((values: Record<string, string>, publicUrl: URL) => MailText)
    | undefined;
  if (!letter) return null;
  const written = letter(values, publicUrl);
  // Some subjects contain names; a line break in one would inject a header.
  const subject = harmlessText(written.subject.replace(/[\p{Cc}\u2028\u2029]+/gu, ' '));
  const { icon, item = '', itemKind = '', rarity = '' } = values;
  const frame: LetterFrame = {
    locale,
    letter: { ...written, subject },
    // Steam's path alone, never an address of its own.
    picture:
      icon && /^[\w-]+$/.test(icon) ? { url: new URL(icon, imageUrl).href, item, itemKind, rarity } : null,
    settings: mailKindOf(template) ? { label: settingsLabels[locale], url: settingsUrl(publicUrl) } : null,
  };
  const { replyTo } = written;
  const [text, html] = [harmlessText(letterText(frame)), harmlessMarkup(letterHtml(frame))];
  return { subject, text, html, ...(replyTo && { replyTo }) };
}
