import PostalMime from 'postal-mime';
import type { Mail } from './mailbox.ts';

/** URLs in a text, in order and without duplicates; trailing punctuation is not part of a URL. */
export function findLinks(text: string): string[] {
  const found = text.match(/https?:\/\/[^\s<>"'`]+/g) ?? [];
  return [...new Set(found.map((link) => link.replace(/[).,;:!?\]}]+$/, '')))];
}

function hrefs(html: string): string[] {
  const found = [...html.matchAll(/\shref\s*=\s*"(https?:\/\/[^"]+)"/gi)];
  return [...new Set(found.map((match) => (match[1] ?? '').replaceAll('&amp;', '&')))];
}

/** Parses a raw message for the inbox; links come from the text part, otherwise from the HTML. */
export async function parseMail(
  raw: Uint8Array,
  envelope: { from: string; to: string[] },
): Promise<Omit<Mail, 'id' | 'receivedAtMs'>> {
  const email = await PostalMime.parse(raw);
  const text = email.text ?? '';
  const html = email.html ?? '';
  const links = findLinks(text);
  return {
    from: email.from?.address ?? envelope.from,
    to: [...new Set(envelope.to.map((address) => address.toLowerCase()))],
    subject: email.subject ?? '',
    text,
    html,
    links: links.length > 0 ? links : hrefs(html),
  };
}
