import type { Locale } from '#db/schema/user.ts';
import type { MailText } from './letter.ts';

/** A letter with what surrounds its words. */
export interface LetterFrame {
  locale: Locale;
  letter: MailText;
  picture: { url: string; item: string; itemKind: string; rarity: string } | null;
  /** The page where notifications are switched off; null for mail about the account itself. */
  settings: { label: string; url: string } | null;
}

/** Groups of eight, between which a fingerprint wraps. */
const grouped = (value: string) => value.replace(/(.{8})(?=.)/g, '$1 ');

/** The plain text: the same in the same order, with addresses written out and the fingerprint in one piece. */
export function letterText({ letter, settings }: LetterFrame): string {
  const { subject, headline, action, paragraphs, facts = [], quote, footnote, fingerprint } = letter;
  const parts = [
    headline ?? subject,
    action && `${action.label}:\n${action.url}`,
    ...paragraphs,
    quote?.replace(/^/gm, '> '),
    facts.length > 0 && facts.map(([name, value]) => `${name}: ${value}`).join('\n'),
    footnote,
    settings && `${settings.label}:\n${settings.url}`,
    fingerprint && `${fingerprint.label}:\n${fingerprint.value}`,
  ].filter((part) => typeof part === 'string');
  return `${parts.join('\n\n')}\n`;
}

/** Steam's colours of rarities, as edges of the picture. */
const rarities: Record<string, string> = {
  Rarity_Uncommon_Weapon: '#5e98d9',
  Rarity_Rare_Weapon: '#4b69ff',
  Rarity_Rare: '#4b69ff',
  Rarity_Mythical_Weapon: '#8847ff',
  Rarity_Mythical: '#8847ff',
  Rarity_Legendary_Weapon: '#d32ce6',
  Rarity_Legendary: '#d32ce6',
  Rarity_Ancient_Weapon: '#eb4b4b',
  Rarity_Ancient: '#eb4b4b',
  Rarity_Contraband: '#e4ae39',
};

/** Mail programs know neither variables nor layers; those that know media queries get the dark colours too. */
const styles = `
:root { color-scheme: light dark; supported-color-schemes: light dark; }
body, .page { margin: 0; background: #f4f6f5; color: #131816; font: 16px/1.5 system-ui, -apple-system, 'Segoe UI', sans-serif; }
.paper { background: #fff; border: 1px solid #dbe1de; border-radius: 11px; }
.plate { background: #eef1f0; border-radius: 7px; }
.quiet, .facts th, .foot, .print { color: #46504c; }
.facts td, .facts th { border-top: 1px solid #dbe1de; padding: 8px 0; font-size: 14px; font-weight: 400; vertical-align: top; }
.facts td { text-align: right; overflow-wrap: anywhere; }
.facts th { text-align: left; padding-right: 16px; white-space: nowrap; }
.button { background: #0f6e62; color: #fff; }
.quote { border-left: 3px solid #dbe1de; }
a { color: #0b6459; }
@media (prefers-color-scheme: dark) {
  body, .page { background: #0e1110 !important; color: #eef2f0 !important; }
  .paper { background: #141817 !important; border-color: #29302d !important; }
  .plate { background: #1b201e !important; }
  .quiet, .facts th, .foot, .print { color: #b1bbb7 !important; }
  .facts td, .facts th, .quote { border-color: #29302d !important; }
  .button { background: #6fc9b9 !important; color: #06231e !important; }
  a { color: #7fd3c4 !important; }
}
@media (max-width: 599px) { .page { padding: 0 !important; } .paper { border-width: 0; border-radius: 0; } .inner { padding: 24px 16px !important; } }
`;

function pictureHtml({ picture }: LetterFrame): string {
  if (!picture) return '';
  const { url, item, itemKind, rarity } = picture;
  const edge = rarities[rarity] ?? '#77827d';
  return `
<div class="plate" style="border-bottom:3px solid ${edge};text-align:center;padding:16px"><img src="${escapeHtml(url)}" alt="${escapeHtml(item)}" width="280" style="display:inline-block;max-width:80%;height:auto;border:0"></div>
<p style="margin:8px 0 0;font-size:14px"><b>${escapeHtml(item)}</b> <span class="quiet">${escapeHtml(itemKind)}</span></p>`;
}

function factsHtml({ letter: { facts = [] } }: LetterFrame): string {
  if (facts.length === 0) return '';
  const rows = facts.map(
    ([name, value]) => `<tr><th scope="row">${escapeHtml(name)}</th><td>${escapeHtml(value)}</td></tr>`,
  );
  return `\n<table class="facts" width="100%" cellspacing="0" cellpadding="0" style="margin:24px 0 0;border-collapse:collapse">${rows.join('')}</table>`;
}

function footHtml({ letter: { footnote, fingerprint }, settings }: LetterFrame): string {
  const change = settings ? ` <a href="${escapeHtml(settings.url)}">${escapeHtml(settings.label)}</a>.` : '';
  const print = fingerprint
    ? `\n<p class="print" style="margin:24px 0 0;font-size:13px">${escapeHtml(fingerprint.label)}<br><code style="font-family:ui-monospace,Menlo,Consolas,monospace;overflow-wrap:break-word">${escapeHtml(grouped(fingerprint.value))}</code></p>`
    : '';
  return `\n<p class="foot" style="margin:24px 0 0;font-size:13px">${escapeHtml(footnote)}${change}</p>${print}`;
}

/** The letter as a page: picture, headline, one button, then the words, and the fingerprint last. */
export function letterHtml(frame: LetterFrame): string {
  const { subject, preview, headline, action, paragraphs, quote } = frame.letter;
  const button = action
    ? `\n<p style="margin:16px 0 24px"><a class="button" href="${escapeHtml(action.url)}" style="display:block;padding:14px 20px;border-radius:7px;font-weight:600;text-align:center;text-decoration:none">${escapeHtml(action.label)}</a></p>`
    : '';
  const words = paragraphs.map((each) => `\n<p style="margin:0 0 16px">${escapeHtml(each)}</p>`).join('');
  const quoted = quote
    ? `\n<blockquote class="quote" style="margin:0 0 16px;padding:0 0 0 16px;white-space:pre-wrap;overflow-wrap:anywhere">${escapeHtml(quote)}</blockquote>`
    : '';
  const shown = preview
    ? `\n<div style="display:none;max-height:0;overflow:hidden">${escapeHtml(preview)}</div>`
    : '';
  return `<!doctype html>
<html lang="${frame.locale}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>${escapeHtml(subject)}</title><style>${styles}</style></head>
<body>${shown}
<div class="page" style="padding:24px">
<div class="paper" style="max-width:600px;margin:0 auto">
<div class="inner" style="padding:32px;overflow-wrap:break-word">
<p style="margin:0 0 20px;font-weight:700">Keepsake</p>${pictureHtml(frame)}
<h1 style="margin:16px 0 0;font-size:24px;line-height:1.25">${escapeHtml(headline ?? subject)}</h1>${button}${action ? '' : '\n<div style="height:16px"></div>'}${words}${quoted}${factsHtml(frame)}${footHtml(frame)}
</div>
</div>
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
