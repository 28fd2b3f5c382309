/** The pieces of an overlay and their places, as the server names them. */
export type PieceName = 'reward' | 'winner' | 'pool' | 'goal' | 'next';
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
  | { kind: 'moment'; moment: ShownMoment }
  | { kind: 'gone' };

/** The header with the doors and secrets of all pages of a browser, and the most that one stream carries. */
export const KEYS_HEADER = 'Overlay-Keys';
export const MAX_KEYS = 10;
/** The header of our own 404. A proxy may answer one as well, while the web process starts again. */
export const MISSING_HEADER = 'Overlay-Gone';

/** The facts that a preview shows instead of a stream's. */
export interface Preview {
  setup: Setup;
  board: ShownBoard;
  moments: ShownMoment[];
}
