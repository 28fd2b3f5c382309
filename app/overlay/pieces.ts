import type { NextMoment } from './moment-queue.ts';
import type { PieceName, Setup, ShownBoard, ShownMoment, ShownRaffle } from './protocol.ts';
import { type Words, words } from './words.ts';

/** Cells beyond these could not be counted at a glance. */
const MAX_CELLS = 40;

type Child = Node | string | false | null;

/** An element with a class. Texts of strangers become text, never markup. */
export function el(tag: string, name: string, ...children: Child[]): HTMLElement {
  const made = document.createElement(tag);
  if (name) made.className = name;
  made.append(...children.filter((child): child is Node | string => child !== false && child !== null));
  return made;
}

const minutesOf = (seconds: number) => Math.floor(seconds / 60);

/** Cells of a pool: full for given ones, half for those under way, and an outline for free ones. */
function cellsOf({ pool }: ShownBoard): HTMLElement {
  const all = pool.given + pool.pending + pool.free;
  const scale = all > MAX_CELLS ? MAX_CELLS / all : 1;
  const cells = (['given', 'pending', 'free'] as const).flatMap((state) =>
    Array.from({ length: Math.ceil(pool[state] * scale) }, () => el('span', `cell cell--${state}`)),
  );
  return el('span', 'cells', ...cells);
}

function leftOf(board: ShownBoard, { locale }: Setup): string {
  const { given, pending, free } = board.pool;
  return words[locale].left(free, given + pending + free);
}

/** The facts of pieces that stay. */
export interface Facts {
  board: ShownBoard | null;
  raffle: ShownRaffle | null;
  /** Time until entries of the raffle end, in the steps in which it is shown; null once they ended. */
  left: TimeLeft | null;
}

/** A time left, in whole minutes, and in the last one in steps of ten seconds. */
type TimeLeft = { minutes: number } | { seconds: number };

/** Returns the time that is shown of so many milliseconds, and after how many the next step comes. */
export function timeLeft(ms: number): { left: TimeLeft | null; nextMs: number } {
  if (ms <= 0) return { left: null, nextMs: Number.POSITIVE_INFINITY };
  const stepMs = ms > 60_000 ? 60_000 : 10_000;
  const steps = Math.ceil(ms / stepMs);
  return {
    left: ms > 60_000 ? { minutes: steps } : { seconds: steps * 10 },
    nextMs: ms - (steps - 1) * stepMs,
  };
}

const ofBoard =
  (draw: (board: ShownBoard, setup: Setup) => Child[] | null) =>
  ({ board }: Facts, setup: Setup): Child[] | null =>
    board && draw(board, setup);

/** The pieces that stay, by name: their content, or null while there is none. */
const standing: Partial<Record<PieceName, (facts: Facts, setup: Setup, images: string) => Child[] | null>> = {
  raffle: ({ raffle, left }, setup, images) =>
    raffle && [el('i', 'bar'), plateOf(raffle.item, images), drawRaffle(raffle, left, words[setup.locale])],
  pool: ofBoard((board, setup) => [
    el('p', 'head', board.ruleName),
    cellsOf(board),
    el('p', 'note', leftOf(board, setup)),
  ]),
  goal: ofBoard(({ ruleName, next: [first] }, { locale }) => {
    if (!first?.watched) return null;
    const { haveSeconds, needSeconds } = first.watched;
    const t = words[locale];
    const meter = el('span', 'meter', el('span', 'meter__fill'));
    (meter.firstChild as HTMLElement).style.transform = `scaleX(${haveSeconds / needSeconds})`;
    return [
      el(
        'div',
        'row',
        el('p', 'head', ruleName),
        el('p', 'note', t.of(minutesOf(haveSeconds), minutesOf(needSeconds))),
      ),
      meter,
      el('p', 'note', t.closest(first.name ?? t.viewer)),
    ];
  }),
  next: ofBoard(({ next }, { locale }) => {
    if (next.length === 0) return null;
    const t = words[locale];
    const lines = next.map(({ name, watched }) => {
      const toGo = watched && Math.ceil((watched.needSeconds - watched.haveSeconds) / 60);
      return el('li', '', el('bdi', '', name ?? t.viewer), toGo !== null && el('span', 'note', t.toGo(toGo)));
    });
    return [el('p', 'head', t.next), el('ol', 'line', ...lines)];
  }),
};

/** As many winners are named. */
const NAMED_WINNERS = 3;

function drawRaffle(raffle: ShownRaffle, left: TimeLeft | null, t: Words): HTMLElement {
  const { state, entries, published, item } = raffle;
  const figure = (label: string, value: string) =>
    el('span', 'figure', el('span', 'note', label), el('b', '', value));
  const time = left && ('minutes' in left ? t.minutes(left.minutes) : t.seconds(left.seconds));
  const lead = state === 'drawn' ? t.raffleDrawn : time === null ? t.raffleClosed : t.raffle;
  const [before, behind] = t.enter;
  return el(
    'div',
    'raffle',
    el(
      'div',
      'row',
      el('div', 'said', el('p', 'lead', lead), el('p', 'item', item.name)),
      el('div', 'figures', figure(t.entries, String(entries)), time !== null && figure(t.closesIn, time)),
    ),
    time !== null && el('p', 'note', `${before} `, el('b', 'keyword', `!${raffle.keyword}`), ` ${behind}`),
    state === 'drawn' && winnersOf(raffle, t),
    published && el('p', 'hash', t.listUpTo(published.entries), el('bdi', '', published.hash)),
  );
}

/** Names one winner large, and the first of several in a line. */
function winnersOf({ won }: ShownRaffle, t: Words): HTMLElement {
  const names = won.map((name) => name ?? t.viewer);
  if (names.length < 2) return el('p', 'name', fitted(names[0] ?? t.noWinner));
  const shown = names
    .slice(0, NAMED_WINNERS)
    .flatMap((name, place) => [place > 0 && ', ', el('bdi', '', name)]);
  const more = names.length - NAMED_WINNERS;
  return el('p', 'won', ...shown, more > 0 && ` ${t.more(more)}`);
}

/** Draws a piece that stays; null while it has nothing to show. */
export function drawStanding(
  piece: PieceName,
  facts: Facts,
  { setup, images }: { setup: Setup; images: string },
): HTMLElement | null {
  const content = standing[piece]?.(facts, setup, images);
  return content ? el('section', `piece piece--${piece}`, ...content) : null;
}

/** The pieces that stay, in the order in which a narrow strip prefers them. */
export const standingPieces = Object.keys(standing) as PieceName[];

/** The piece in which each kind of moment is shown. */
export const pieceOf = {
  earned: 'reward',
  drawn: 'winner',
  delivered: 'winner',
} as const satisfies Record<NextMoment['kind'], PieceName>;

function plateOf(item: ShownMoment['item'], images: string): HTMLElement {
  const plate = el('span', 'plate');
  const blank = el('span', 'cell cell--given');
  const [, rarity = ''] = /^Rarity_(\w+?)(?:_Weapon|_Character)?$/.exec(item.rarityTag) ?? [];
  plate.dataset.rarity = rarity.toLowerCase();
  if (item.iconUrl && images) {
    const picture = document.createElement('img');
    picture.alt = '';
    picture.src = images + item.iconUrl;
    picture.onerror = () => picture.replaceWith(blank);
    plate.append(picture);
  } else plate.append(blank);
  return plate;
}

/** Draws a moment in its piece. */
export function drawMoment(
  moment: NextMoment,
  { setup, board, images }: { setup: Setup; board: ShownBoard | null; images: string },
): HTMLElement {
  const t = words[setup.locale];
  const name = moment.name ?? t.viewer;
  const notes = [moment.isTest && t.test, moment.more > 0 && t.more(moment.more)].filter(Boolean).join(' · ');
  const body =
    pieceOf[moment.kind] === 'reward'
      ? [
          el(
            'div',
            'said',
            el('p', 'lead', t[moment.kind]),
            el('p', 'name', fitted(name)),
            el('p', 'item', moment.item.name),
            notes !== '' && el('p', 'note', notes),
          ),
          board?.ruleName === moment.ruleName &&
            el('div', 'left', cellsOf(board), el('p', 'note', leftOf(board, setup))),
        ]
      : [
          el(
            'div',
            'said',
            el('p', 'lead', t[moment.kind]),
            el('p', 'name', fitted(name)),
            el('i', 'rule'),
            el('p', 'item', moment.item.name),
            el('p', 'note', notes === '' ? moment.ruleName : notes),
          ),
        ];
  return el(
    'section',
    `piece piece--${pieceOf[moment.kind]} is-in`,
    el('i', 'bar'),
    plateOf(moment.item, images),
    el('div', 'body', ...body),
  );
}

/** Long names shrink in two steps, so that the longest of Twitch fits. */
const fitted = (name: string): HTMLElement =>
  el('bdi', name.length > 18 ? 'longest' : name.length > 12 ? 'long' : '', name);
