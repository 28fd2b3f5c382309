import { chime } from './chime.ts';
import { connect } from './connect.ts';
import { momentQueue, type NextMoment } from './moment-queue.ts';
import { drawMoment, drawStanding, el, pieceOf, standingPieces } from './pieces.ts';
import type { PieceName, PlaceName, Preview, Setup, ShownBoard, Told } from './protocol.ts';

const STAYS_MS = { reward: 7_000, winner: 9_000 } as const;
const LEAVES_MS = 500;

/** A strip is too low for pieces above each other: it shows one at a time. */
const strip = matchMedia('(min-aspect-ratio: 3/1)');
const asked = new URLSearchParams(location.search);
/** The pieces that this source shows; all of them if it names none. */
const only = asked.get('only')?.split(',') ?? null;

/** Shows an overlay in an element. */
export function showOverlay(root: HTMLElement, images: string) {
  let setup: Setup | null = null;
  let board: ShownBoard | null = null;
  let drawn = '';
  const places = new Map<string, HTMLElement>();
  const standing = new Map<PieceName, HTMLElement>();

  const placeOf = (piece: PieceName): PlaceName | null =>
    setup && (only === null || only.includes(piece)) ? setup.layout[piece] : null;

  const boxAt = (place: string): HTMLElement => {
    const box = places.get(place) ?? el('div', `at at--${place}`);
    if (!places.has(place)) root.append(box);
    places.set(place, box);
    return box;
  };
  const put = (element: HTMLElement, place: PlaceName) =>
    boxAt(strip.matches ? 'strip' : place).append(element);

  const draw = () => {
    const facts = JSON.stringify([setup, board, strip.matches]);
    if (facts === drawn) return;
    drawn = facts;
    document.documentElement.classList.toggle('calm', setup?.isCalm === true || asked.has('calm'));
    for (const element of standing.values()) element.remove();
    standing.clear();
    if (!setup || !board || setup.isStopped) return;
    for (const piece of standingPieces) {
      const place = placeOf(piece);
      const element = place && drawStanding(piece, board, setup);
      if (!element || !place || (strip.matches && standing.size > 0)) continue;
      standing.set(piece, element);
      put(element, place);
    }
  };

  const show = (moment: NextMoment): HTMLElement | null => {
    const place = placeOf(pieceOf[moment.kind]);
    if (!setup || setup.isStopped || place === null) return null;
    const element = drawMoment(moment, { setup, board, images });
    put(element, place);
    return element;
  };

  const queue = momentQueue({
    later: (wake, ms) => setTimeout(wake, ms),
    play(moment, done) {
      const element = show(moment);
      if (!element) return done();
      root.classList.add('has-moment');
      if (setup?.hasSound) chime();
      setTimeout(() => element.classList.replace('is-in', 'is-out'), STAYS_MS[pieceOf[moment.kind]]);
      setTimeout(() => {
        element.remove();
        root.classList.remove('has-moment');
        done();
      }, STAYS_MS[pieceOf[moment.kind]] + LEAVES_MS);
    },
  });

  const blank = () => {
    queue.drop();
    setup = null;
    board = null;
    drawn = '';
    root.replaceChildren();
    places.clear();
    standing.clear();
  };

  let isActive = document.visibilityState === 'visible';
  /** What nobody sees is dropped and not kept for later. */
  const activate = (active: boolean) => {
    isActive = active;
    if (!active) queue.drop();
  };

  strip.addEventListener('change', draw);
  return {
    activate,
    /** Shows moments at once, and lets them stay. */
    hold: (moments: Preview['moments']) => {
      for (const moment of moments) show({ ...moment, more: 0 });
    },
    tell(told: Told) {
      if (told.kind === 'gone') return blank();
      if (told.kind === 'moment') {
        if (isActive && placeOf(pieceOf[told.moment.kind]) && !setup?.isStopped) queue.push(told.moment);
        return;
      }
      if (told.kind === 'setup') setup = told.setup;
      else board = told.board;
      if (setup?.isStopped) queue.drop();
      draw();
    },
  };
}

/** OBS tells its pages whether they are seen. */
function followObs(activate: (active: boolean) => void): void {
  const seen = { obsSourceActiveChanged: true, obsSourceVisibleChanged: true, visible: true };
  const update = () => activate(Object.values(seen).every(Boolean));
  for (const [name, key] of [
    ['obsSourceActiveChanged', 'active'],
    ['obsSourceVisibleChanged', 'visible'],
  ] as const)
    addEventListener(name, (event) => {
      const detail = (event as CustomEvent<Record<string, unknown> | null>).detail;
      if (typeof detail?.[key] !== 'boolean') return;
      seen[name] = detail[key];
      update();
    });
  document.addEventListener('visibilitychange', () => {
    seen.visible = document.visibilityState === 'visible';
    update();
  });
}

/** Starts an overlay's page; a preview is told everything by its own document. */
export function startOverlay(root: HTMLElement, script: string): void {
  const overlay = showOverlay(root, root.dataset.images ?? '');
  const preview = document.getElementById('preview')?.textContent;
  if (preview) {
    const { setup, board, moments } = JSON.parse(preview) as Preview;
    overlay.tell({ kind: 'setup', setup });
    overlay.tell({ kind: 'board', board });
    overlay.hold(moments);
    return;
  }
  followObs(overlay.activate);
  const [, , secret = ''] = location.pathname.split('/');
  connect({ door: 'overlay', secret }, { script, address: '/overlay/events' }, overlay.tell);
}
