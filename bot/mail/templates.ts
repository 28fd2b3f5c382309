import type { MailText } from '#bot/mail/letter.ts';
import { letters } from '#bot/mail/letters.ts';
import type { Locale } from '#db/schema/user.ts';
import type { MailTemplate } from '#domain/outbox/queue-mail.ts';

export interface WrittenMail {
  subject: string;
  text: string;
  html: string;
  replyTo?: string;
}

/** Renders a queued mail in the recipient's language; null when its template is unknown. */
export function writeMail(
  mail: { template: string; locale: Locale; values: Record<string, string> },
  publicUrl: URL,
): WrittenMail | null {
  const letter = letters[mail.locale][mail.template as MailTemplate] as
    | ((values: Record<string, string>, publicUrl: URL) => MailText)
    | undefined;
  return letter ? layOut(letter(mail.values, publicUrl), mail.locale) : null;
}

function layOut(letter: MailText, locale: Locale): WrittenMail {
  const { paragraphs, action, quote, footnote, replyTo } = letter;
  // Some subjects contain names; a line break in one would inject a header.
  const subject = oneLine(letter.subject);
  const parts = [
    ...paragraphs,
    quote?.replace(/^/gm, '> '),
    action && `${action.label}:\n${action.url}`,
    footnote,
  ].filter((part) => part !== undefined);
  const text = `${parts.join('\n\n')}\n`;
  return { subject, text, html: htmlOf({ ...letter, subject }, locale), ...(replyTo && { replyTo }) };
}

const oneLine = (value: string) => value.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');

const quoteStyle =
  'margin:0 0 16px;padding:0 0 0 16px;border-left:3px solid #d0d0d8;white-space:pre-wrap;overflow-wrap:anywhere';
const buttonStyle =
  'display:inline-block;padding:12px 20px;border-radius:8px;background:#1d1d22;color:#fff;text-decoration:none';

function htmlOf({ subject, paragraphs, quote, action, footnote }: MailText, locale: Locale): string {
  const lines = paragraphs.map((each) => `<p style="margin:0 0 16px">${escapeHtml(each)}</p>`).join('');
  const quoted = quote ? `\n<blockquote style="${quoteStyle}">${escapeHtml(quote)}</blockquote>` : '';
  const button = action
    ? `\n<p style="margin:24px 0"><a href="${escapeHtml(action.url)}" style="${buttonStyle}">${escapeHtml(action.label)}</a></p>`
    : '';
  return `<!doctype html>
<html lang="${locale}">
<head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head>
<body style="margin:0;padding:24px;background:#f4f4f6;color:#1d1d22;font:16px/1.5 system-ui,sans-serif">
<div style="max-width:520px;margin:0 auto;padding:32px;background:#fff;border-radius:12px">
<p style="margin:0 0 24px;font-weight:700">Keepsake</p>
${lines}${quoted}${button}
<p style="margin:24px 0 0;color:#6b6b76;font-size:13px">${escapeHtml(footnote)}</p>
</div>
</body>
</html>
`;
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escapeHtml = (value: string) => value.replace(/[&<>"']/g, (sign) => entities[sign] ?? sign);
