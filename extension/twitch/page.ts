// The script in Twitch's pages: one line on a channel's page, in the flow of the page.
import { askForChannel, type ChannelAnswer } from '../messages.ts';
import * as en from '../texts/en.ts';
import * as ru from '../texts/ru.ts';
import { language } from '../texts/texts.ts';

const texts = { en: en.twitch, ru: ru.twitch }[language()];
/** First parts of addresses that are no channel's. */
const others = new Set([
  '',
  'directory',
  'downloads',
  'jobs',
  'p',
  'search',
  'settings',
  'subscriptions',
  'videos',
]);
const FRESH_MS = 60_000;

/** The login of the channel that an address is about; null for other pages. */
export function loginOf(pathname: string): string | null {
  const [, first = '', ...rest] = pathname.split('/');
  const isChannel = /^\w{3,25}$/.test(first) && !others.has(first.toLowerCase());
  return isChannel && rest.filter(Boolean).length === 0 ? first.toLowerCase() : null;
}

const timeOf = (seconds: number): string =>
  texts.time(Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60));

/** The one line; null if there is nothing of this channel's. */
export function lineOf({
  progress,
  ready,
  instance,
}: ChannelAnswer): { text: string; link: string | null } | null {
  if (ready.length > 0) return { text: texts.ready(ready.length), link: `${instance}/rewardProgress` };
  const [first] = progress;
  if (!first) return null;
  const { ruleName, isMet, watch, inChat } = first;
  const state = watch ? texts.of(timeOf(watch.haveSeconds), timeOf(watch.needSeconds)) : '';
  const text = isMet ? texts.met : state;
  const shown = text === '' ? ruleName : `${ruleName}: ${text}`;
  const presence = texts.inChat[inChat ?? ''];
  return { text: presence && !isMet ? `${shown} · ${presence}` : shown, link: null };
}

let host: HTMLElement | null = null;

function showLine(line: ReturnType<typeof lineOf>): void {
  host?.remove();
  const place = document.querySelector('main') ?? document.body;
  if (!line) return;
  host = document.createElement('keepsake-progress');
  const root = host.attachShadow({ mode: 'open' });
  const style = document.createElement('style');
  style.textContent =
    ':host { all: initial; display: block; } p { margin: 0; padding: 8px 14px; font: 14px/1.4 system-ui, sans-serif; color: #eef2f0; background: #141817; } a { color: #7fd3c4; }';
  const text = document.createElement('p');
  text.ariaLabel = texts.label;
  text.lang = language();
  text.append(line.text);
  if (line.link) {
    const link = document.createElement('a');
    Object.assign(link, { href: line.link, textContent: texts.claim, target: '_blank', rel: 'noopener' });
    text.append(' · ', link);
  }
  root.append(style, text);
  place.prepend(host);
}

let shownFor: string | null = null;
let askedAt = 0;

/** Twitch changes pages without loading them, so the address is looked at again and again. */
async function look(): Promise<void> {
  const login = loginOf(location.pathname);
  const isOld = performance.now() - askedAt >= FRESH_MS;
  if (document.hidden || (login === shownFor && !isOld)) return;
  if (login !== shownFor) showLine(null);
  shownFor = login;
  askedAt = performance.now();
  if (login === null) return;
  const answer = await askForChannel(login);
  if (shownFor === login) showLine(answer.ok ? lineOf(answer.value) : null);
}

setInterval(() => void look(), 2_000);
void look();
