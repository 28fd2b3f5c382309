import { chime } from './chime.ts';
import { connect } from './connect.ts';
import { momentQueue, type NextMoment } from './moment-queue.ts';
import { drawMoment, drawStanding, el, type Facts, pieceOf, standingPieces, timeLeft } from './pieces.ts';
import {
  browserNow,
  type Notice,
  type PieceName,
  type PlaceName,
  type Preview,
  type Setup,
  type ShownBoard,
  type ShownMoment,
  type ShownRaffle,
} from './protocol.ts';

const STAYS_MS = { reward: 7_000, winner: 9_000 } as const;
const LEAVES_MS = 500;

const asked = new URLSearchParams(location.search);
/** The pieces that this source shows; all of them if it names none. */
const only = asked.get('only')?.split(',') ?? null;

const isPageSeen = () => document.visibilityState === 'visible';

/** An overlay in an element. */
class OverlayView {
  readonly #root: HTMLElement;
  /** A strip is too low for pieces above each other: it shows one at a time. A worker has no such query. */
  readonly #strip = matchMedia('(min-aspect-ratio: 3/1)');
  readonly #images: string;
  readonly #places = new Map<string, HTMLElement>();
  readonly #standing = new Map<PieceName, HTMLElement>();
  readonly #queue = momentQueue({
    later: (wake, ms) => setTimeout(wake, ms),
    play: (moment, done) => this.#play(moment, done),
  });
  #setup: Setup | null = null;
  #board: ShownBoard | null = null;
  #raffle: ShownRaffle | null = null;
  /** The time of this computer at which the raffle's entries end. */
  #endsAtMs = 0;
  #nextStep: ReturnType<typeof setTimeout> | undefined;
  #drawn = '';
  #isActive = isPageSeen();

  constructor(root: HTMLElement, images: string) {
    this.#root = root;
    this.#images = images;
    this.#strip.addEventListener('change', () => this.#draw());
  }

  /** Drops what nobody sees, instead of keeping it for later. */
  activate(active: boolean): void {
    this.#isActive = active;
    if (!active) this.#queue.drop();
  }

  /** Shows moments one after another, again and again. */
  rotate(moments: Preview['moments']): void {
    const [next, ...others] = moments.filter(({ kind }) => this.#placeOf(pieceOf[kind]) !== null);
    if (next) this.#play({ ...next, more: 0 }, () => this.rotate([...others, next]));
  }

  notify(notice: Notice): void {
    if (notice.kind === 'gone') this.#blank();
    else if (notice.kind === 'moment') {
      const place = this.#placeOf(pieceOf[notice.moment.kind]);
      if (this.#isActive && place && !this.#setup?.isStopped) this.#queue.push(notice.moment);
    } else {
      if (notice.kind === 'setup') this.#setup = notice.setup;
      else if (notice.kind === 'board') this.#board = notice.board;
      else {
        this.#raffle = notice.raffle;
        this.#endsAtMs = (notice.gotAtMs ?? browserNow()) + (notice.raffle?.leftMs ?? 0);
      }
      if (this.#setup?.isStopped) this.#clear();
      this.#draw();
    }
  }

  #placeOf(piece: PieceName): PlaceName | null {
    return this.#setup && (only === null || only.includes(piece)) ? this.#setup.layout[piece] : null;
  }

  #put(element: HTMLElement, place: PlaceName): void {
    const name = this.#strip.matches ? 'strip' : place;
    const box = this.#places.get(name) ?? el('div', `at at--${name}`);
    if (!this.#places.has(name)) this.#root.append(box);
    this.#places.set(name, box);
    box.append(element);
  }

  /** Reads the facts of now, and draws again when the time that is told of a raffle changes. */
  #facts(): Facts {
    const [board, raffle] = [this.#board, this.#raffle];
    clearTimeout(this.#nextStep);
    if (raffle?.state !== 'running') return { board, raffle, left: null };
    const { left, nextMs } = timeLeft(this.#endsAtMs - browserNow());
    if (left) this.#nextStep = setTimeout(() => this.#draw(), nextMs);
    return { board, raffle, left };
  }

  #draw(): void {
    const setup = this.#setup;
    const facts = this.#facts();
    const { raffle } = facts;
    const shown = [setup, facts.board, raffle && { ...raffle, leftMs: facts.left }, this.#strip.matches];
    const drawn = JSON.stringify(shown);
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    document.documentElement.classList.toggle('calm', setup?.isCalm === true || asked.has('calm'));
    for (const element of this.#standing.values()) element.remove();
    this.#standing.clear();
    if (!setup || setup.isStopped) return;
    for (const piece of standingPieces) {
      const place = this.#placeOf(piece);
      const element = place && drawStanding(piece, facts, { setup, images: this.#images });
      if (!element || !place || (this.#strip.matches && this.#standing.size > 0)) continue;
      this.#standing.set(piece, element);
      this.#put(element, place);
    }
  }

  #show(moment: NextMoment): HTMLElement | null {
    const setup = this.#setup;
    const place = this.#placeOf(pieceOf[moment.kind]);
    if (!setup || setup.isStopped || place === null) return null;
    const element = drawMoment(moment, { setup, board: this.#board, images: this.#images });
    this.#put(element, place);
    return element;
  }

  #play(moment: NextMoment, done: () => void): void {
    const element = this.#show(moment);
    if (!element) {
      done();
      return;
    }
    this.#root.classList.add('has-moment');
    if (this.#setup?.hasSound) chime();
    const staysMs = STAYS_MS[pieceOf[moment.kind]];
    setTimeout(() => element.classList.replace('is-in', 'is-out'), staysMs);
    setTimeout(() => {
      element.remove();
      this.#root.classList.remove('has-moment');
      done();
    }, staysMs + LEAVES_MS);
  }

  #blank(): void {
    [this.#setup, this.#board, this.#raffle, this.#drawn] = [null, null, null, ''];
    clearTimeout(this.#nextStep);
    this.#clear();
  }

  /** Takes everything off the picture at once, a moment that is being shown as well. */
  #clear(): void {
    this.#queue.drop();
    this.#root.replaceChildren();
    this.#root.classList.remove('has-moment');
    this.#places.clear();
    this.#standing.clear();
  }
}

/** OBS tells its pages whether they are seen. */
function followObs(activate: (active: boolean) => void): void {
  const seen = { obsSourceActiveChanged: true, obsSourceVisibleChanged: true, visible: isPageSeen() };
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
    seen.visible = isPageSeen();
    update();
  });
}

/** Starts an overlay's page; a preview is told everything by its own document. */
export function startOverlay(root: HTMLElement, script: string): void {
  const overlay = new OverlayView(root, root.dataset.images ?? '');
  const preview = document.getElementById('preview')?.textContent;
  if (preview) {
    const { setup, board, raffle, moments } = JSON.parse(preview) as Preview;
    overlay.notify({ kind: 'setup', setup });
    overlay.notify({ kind: 'board', board });
    overlay.notify({ kind: 'raffle', raffle });
    const isFirst = ({ kind }: ShownMoment) => pieceOf[kind] === asked.get('first');
    overlay.rotate([...moments.filter(isFirst), ...moments.filter((moment) => !isFirst(moment))]);
    return;
  }
  followObs((active) => overlay.activate(active));
  const [, , secret = ''] = location.pathname.split('/');
  connect({ door: 'overlay', secret }, { script, address: '/overlay/events' }, (notice) =>
    overlay.notify(notice),
  );
}
