import type { Translation } from '#app/locales/translation.ts';
import type { Win } from '#domain/overlay/list-latest-wins.ts';
import { harmless } from '#platform/harmless.ts';
import { escaped } from './overlay-page.server.ts';

interface DockFacts {
  isStopped: boolean;
  /** The question before an act that viewers would see. */
  asks: 'live' | 'resume' | null;
  requestId: string;
  wins: readonly Win[];
}

interface Act {
  act: 'test' | 'stop' | 'resume';
  label: string;
  look?: 'quiet' | 'danger';
  fields?: Record<string, string>;
}

/** A name that others wrote: it stays text, hides nothing and turns nothing around it. */
const fromElsewhere = (text: string): string => escaped(harmless(text));

const formOf = ({ act, label, look, fields = {} }: Act): string => {
  const hidden = Object.entries(fields)
    .map(([name, value]) => `<input type="hidden" name="${name}" value="${escaped(value)}">`)
    .join('');
  return `<form method="post">${hidden}<button id="${act}" name="act" value="${act}"${look ? ` class="${look}"` : ''}>${escaped(label)}</button></form>`;
};

/** The content of a dock, as markup: everything that others wrote is escaped. */
export function dockContent(t: Translation['t'], { isStopped, asks, requestId, wins }: DockFacts): string {
  const line = (text: string, look = '') => `<p${look ? ` class="${look}"` : ''}>${escaped(text)}</p>`;
  const test = { act: 'test', fields: { requestId } } as const;
  const state = isStopped
    ? formOf({
        act: 'resume',
        label: t('overlay.resume'),
        ...(asks === 'resume' && { fields: { sure: 'on' } }),
      })
    : formOf({ act: 'stop', label: t('overlay.stop'), look: 'danger' });
  const won = wins
    .map(
      ({ name, itemName }) =>
        `<li><b dir="auto">${fromElsewhere(name ?? t('overlay.viewer'))}</b><br><span dir="auto">${fromElsewhere(itemName)}</span></li>`,
    )
    .join('');
  return [
    `<h1>${escaped(t('overlay.title'))}</h1>`,
    line(t(isStopped ? 'overlay.stopped' : 'overlay.running'), isStopped ? 'warn' : 'muted'),
    asks === 'resume' ? line(t('overlay.resumeText'), 'warn') : '',
    state,
    `<h2>${escaped(t('overlay.test'))}</h2>`,
    asks === 'live'
      ? line(`${t('overlay.live')}. ${t('overlay.liveText')}`, 'warn') +
        formOf({ ...test, label: t('overlay.liveAct'), fields: { requestId, live: 'on' } })
      : line(t('overlay.testText'), 'muted') +
        formOf({ ...test, label: t('overlay.testAct'), look: 'quiet' }),
    `<h2>${escaped(t('overlay.wins'))}</h2>`,
    won ? `<ol class="wins">${won}</ol>` : line(t('overlay.noWins'), 'muted'),
  ].join('');
}
