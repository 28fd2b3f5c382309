import type { NextMoment } from './moment-queue.ts';
import type { PieceName, Setup, ShownBoard } from './protocol.ts';
import { words } from './words.ts';

/** Cells beyond these could not be counted at a glance. */
const MAX_CELLS = 40;

type Child = Node | string | false;

/** An element with a class. Texts of strangers become text, never markup. */
export function el(tag: string, name: string, ...children: Child[]): HTMLElement {
  const made = document.createElement(tag);
  if (name) made.className = name;
  made.append(...children.filter((child): child is Node | string => child !== false));
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

type Standing = (board: ShownBoard, setup: Setup) => Child[] | null;

/** The pieces that stay, by name: their content, or null while there is none. */
const standing: Partial<Record<PieceName, Standing>> = {
  pool: (board, setup) => [
    el('p', 'head', board.ruleName),
    cellsOf(board),
    el('p', 'note', leftOf(board, setup)),
  ],
  goal({ ruleName, next: [first] }, { locale }) {
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
  },
  next({ next }, { locale }) {
    if (next.length === 0) return null;
    const t = words[locale];
    const lines = next.map(({ name, watched }) => {
      const toGo = watched && Math.ceil((watched.needSeconds - watched.haveSeconds) / 60);
      return el('li', '', el('bdi', '', name ?? t.viewer), toGo !== null && el('span', 'note', t.toGo(toGo)));
    });
    return [el('p', 'head', t.next), el('ol', 'line', ...lines)];
  },
};

/** Draws a piece that stays; null while it has nothing to show. */
export function drawStanding(piece: PieceName, board: ShownBoard, setup: Setup): HTMLElement | null {
  const content = standing[piece]?.(board, setup);
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

function plateOf({ item }: NextMoment, images: string): HTMLElement {
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
    plateOf(moment, images),
    el('div', 'body', ...body),
  );
}

/** Long names shrink in two steps, so that the longest of Twitch fits. */
const fitted = (name: string): HTMLElement =>
  el('bdi', name.length > 18 ? 'longest' : name.length > 12 ? 'long' : '', name);
