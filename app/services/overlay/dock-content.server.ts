import type { Translation } from '#app/locales/translation.ts';
import type { Win } from '#domain/overlay/list-latest-wins.ts';
import { harmless } from '#platform/harmless.ts';
import { escaped } from './overlay-page.server.ts';

type T = Translation['t'];

/** The raffle that is prepared, runs or is about to be drawn. */
export interface DockRaffle {
  id: string;
  state: 'prepared' | 'running' | 'sealed';
  keyword: string;
  winners: number;
  entries: number;
  /** Its length before it starts, and then the time that is left, in whole minutes. */
  minutes: number;
}

/** The acts that a dock asks about before it does them. */
export type Asked = 'live' | 'resume' | 'cancel';

interface DockFacts {
  isStopped: boolean;
  /** The question before an act that viewers would see. */
  asks: Asked | null;
  /** The reason why a raffle's act was refused. */
  refused: RaffleRefused | null;
  raffle: DockRaffle | null;
  requestId: string;
  wins: readonly Win[];
}

export type RaffleRefused = 'account' | 'frozen' | 'late' | 'unread';

interface Act {
  act: 'test' | 'stop' | 'resume' | 'start' | 'draw' | 'cancel';
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

const line = (text: string, look = '') => `<p${look ? ` class="${look}"` : ''}>${escaped(text)}</p>`;

/** One large button for the next step of a raffle; a cancellation asks first. */
function raffleContent(t: T, { raffle, asks, refused }: DockFacts): string {
  const parts = [`<h2>${escaped(t('overlay.raffle.title'))}</h2>`];
  if (refused) parts.push(line(t(`raffle.refused.${refused}`), 'warn'));
  if (!raffle) return [...parts, line(t('overlay.raffle.none'), 'muted')].join('');
  const { id, state, keyword, winners: count, minutes, entries } = raffle;
  const fields = { raffleId: id };
  parts.push(`<p class="big" dir="auto">!${fromElsewhere(keyword)}</p>`);
  if (state === 'prepared')
    parts.push(
      line(t('overlay.raffle.facts', { count, minutes })),
      formOf({ act: 'start', label: t('overlay.raffle.start'), fields }),
      line(t('overlay.raffle.startText'), 'muted'),
    );
  else parts.push(line(t('overlay.raffle.entries', { count: entries }), 'big'));
  if (state === 'sealed') parts.push(line(t('overlay.raffle.sealed')));
  if (state === 'running')
    parts.push(
      line(t('overlay.raffle.left', { minutes })),
      formOf({ act: 'draw', label: t('overlay.raffle.draw'), fields }),
    );
  if (state !== 'sealed')
    parts.push(
      asks === 'cancel'
        ? line(t('overlay.raffle.cancelText'), 'warn') +
            formOf({
              act: 'cancel',
              label: t('overlay.raffle.cancelSure'),
              look: 'danger',
              fields: { ...fields, sure: 'on' },
            })
        : formOf({ act: 'cancel', label: t('overlay.raffle.cancel'), look: 'quiet', fields }),
    );
  return parts.join('');
}

/** The content of a dock, as markup: everything that others wrote is escaped. */
export function dockContent(t: T, facts: DockFacts): string {
  const { isStopped, asks, requestId, wins } = facts;
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
    raffleContent(t, facts),
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
