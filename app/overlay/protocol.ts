/** The pieces of an overlay and their places, as the server names them. */
export type PieceName = 'reward' | 'winner' | 'raffle' | 'pool' | 'goal' | 'next';
export type PlaceName =
  | 'topLeft'
  | 'top'
  | 'topRight'
  | 'left'
  | 'right'
  | 'bottomLeft'
  | 'bottom'
  | 'bottomRight';

/** The looks of an overlay. */
export interface Setup {
  layout: Record<PieceName, PlaceName | null>;
  locale: 'en' | 'ru';
  isCalm: boolean;
  hasSound: boolean;
  isStopped: boolean;
}

/** The lasting state of a rule; `name` is null for a viewer who hides it. */
export interface ShownBoard {
  ruleName: string;
  pool: { given: number; pending: number; free: number };
  next: { name: string | null; watched: { haveSeconds: number; needSeconds: number } | null }[];
}

/** A raffle from its start until shortly after its draw. */
export interface ShownRaffle {
  state: 'running' | 'sealed' | 'drawn';
  keyword: string;
  item: ShownMoment['item'];
  entries: number;
  /** Time until its entries end. */
  leftMs: number;
  /** The list's hash as it was published last, with the entries that it covers; null before that. */
  published: { entries: number; hash: string } | null;
  /** Those who won, once it is drawn; null for a viewer who hides their name. */
  won: (string | null)[];
}

/** Something that is shown once. */
export interface ShownMoment {
  id: string;
  kind: 'earned' | 'drawn' | 'delivered';
  name: string | null;
  item: { name: string; iconUrl: string; rarityTag: string };
  ruleName: string;
  /** True for a made-up one. */
  isTest?: true;
}

/** The address that a page was opened at: each has a secret of its own. */
export type Door = 'overlay' | 'dock';

/** The notices that a page gets. `gone`: the secret of its address was replaced. */
export type Notice =
  | { kind: 'setup'; setup: Setup }
  | { kind: 'board'; board: ShownBoard | null }
  /** `gotAtMs` is this computer's time at which it came, for pages that open later. */
  | { kind: 'raffle'; raffle: ShownRaffle | null; gotAtMs?: number }
  | { kind: 'moment'; moment: ShownMoment }
  | { kind: 'gone' };

/** The time of a browser, which is the same for a page and the worker that it shares. */
export const browserNow = () => performance.timeOrigin + performance.now();

/** The header with the doors and secrets of all pages of a browser, and the most that one stream carries. */
export const KEYS_HEADER = 'Overlay-Keys';
export const MAX_KEYS = 10;
/** The header of our own 404. A proxy may answer one as well, while the web process starts again. */
export const MISSING_HEADER = 'Overlay-Gone';

/** The facts that a preview shows instead of a stream's. */
export interface Preview {
  setup: Setup;
  board: ShownBoard;
  raffle: ShownRaffle;
  moments: ShownMoment[];
}
