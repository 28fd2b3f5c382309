import { type Html, html } from './html.ts';

export interface Shell {
  nowMs: number;
  offsetMs: number;
  productUrl: string;
  /** Names of trouble that is switched on. */
  trouble: readonly string[];
}

export interface Page {
  title: string;
  /** The path of the current menu entry. */
  section: string;
  /** The result of the last verb, shown once above the page. */
  notice?: string;
  body: Html;
}

const menu = [
  ['/', 'Overview'],
  ['/twitch', 'Twitch'],
  ['/steam', 'Steam'],
  ['/stripe', 'Stripe'],
  ['/mail', 'Mail'],
  ['/clock', 'Clock'],
  ['/trouble', 'Trouble'],
  ['/api', 'API'],
] as const;

const timeFormat = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
});

/** A world time, readable by people and machines. */
export function time(ms: number): Html {
  return html`<time datetime="${new Date(ms).toISOString()}">${timeFormat.format(ms)}</time>`;
}

/** "3 items", "1 item". */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** Describes how far the world is ahead of the system. */
export function ahead(offsetMs: number): string {
  if (offsetMs === 0) return 'same as system time';
  const hours = Math.floor(offsetMs / 3_600_000);
  if (hours === 0) return `${count(Math.round(offsetMs / 60_000), 'minute')} ahead`;
  const days = Math.floor(hours / 24);
  const parts = [days > 0 && count(days, 'day'), hours % 24 > 0 && count(hours % 24, 'hour')];
  return `${parts.filter(Boolean).join(' ')} ahead`;
}

/** The whole HTML document around a page, without scripts. */
export function layout(shell: Shell, page: Page): Html {
  const links = menu.map(([path, name]) => {
    const current = path === page.section ? html` aria-current="page"` : null;
    return html`<li><a href="${path}"${current}>${name}</a></li>`;
  });
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${page.title} · Sandbox world</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/panel.css">
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<p class="band"><b>Sandbox world</b> Everyone here is fictional. Nothing reaches Twitch, Steam, Stripe or a real mailbox.</p>
<header>
<p><a class="brand" href="/">Control panel</a></p>
<nav aria-label="Panel"><ul>${links}</ul></nav>
<p class="now"><a href="/clock">${time(shell.nowMs)}</a> <span>${ahead(shell.offsetMs)}</span></p>
<p class="product"><a href="${shell.productUrl}">Open the product</a></p>
</header>
${shell.trouble.length > 0 ? html`<p class="levers"><a href="/">Switched on</a>: ${shell.trouble.join(', ')}</p>` : null}
<main id="main">
${page.notice ? html`<p class="notice" role="status">${page.notice}</p>` : null}
<h1>${page.title}</h1>
${page.body}
</main>
</body>
</html>`;
}
