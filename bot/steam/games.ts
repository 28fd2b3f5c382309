/** A game whose items can be given away. */
export interface Game {
  appId: number;
  name: string;
  /** The inventory context that holds tradable items. */
  contextId: string;
  /**
   * True if every exchange of its items is under Trade Protection. For other games Steam's answer about an
   * exchange decides.
   */
  isAlwaysProtected: boolean;
  /**
   * True if a bot's inventory is compared with custody even while it holds nothing of the game. Readings take
   * turns at Steam, and a bot's own trading cards are nobody's business.
   */
  isAlwaysCompared: boolean;
  /** Number of items that every account has room for; null if accounts differ and Steam does not tell. */
  capacity: number | null;
}

/** Steam keeps the items of any game here while they are under Trade Protection. Only their owner sees them. */
export const PROTECTED_CONTEXT = '16';

const usual = { contextId: '2', isAlwaysProtected: false, isAlwaysCompared: false, capacity: null };

export const games = [
  {
    ...usual,
    appId: 730,
    name: 'Counter-Strike 2',
    isAlwaysProtected: true,
    isAlwaysCompared: true,
    capacity: 1000,
  },
  { ...usual, appId: 440, name: 'Team Fortress 2', isAlwaysCompared: true },
  { ...usual, appId: 252490, name: 'Rust' },
  { ...usual, appId: 570, name: 'Dota 2' },
  { ...usual, appId: 753, name: 'Steam', contextId: '6' },
] as const satisfies readonly Game[];

/** Returns the context of a game's tradable items. */
export const openContextOf = (appId: number): string => gameOf(appId)?.contextId ?? '2';

export const gameOf = (appId: number): Game | null => games.find((game) => game.appId === appId) ?? null;
