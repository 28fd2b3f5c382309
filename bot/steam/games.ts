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
  /** Number of items that every account has room for; null if accounts differ and Steam does not tell. */
  capacity: number | null;
}

/** Steam keeps the items of any game here while they are under Trade Protection. Only their owner sees them. */
export const PROTECTED_CONTEXT = '16';

export const games = [
  { appId: 730, name: 'Counter-Strike 2', contextId: '2', isAlwaysProtected: true, capacity: 1000 },
  { appId: 440, name: 'Team Fortress 2', contextId: '2', isAlwaysProtected: false, capacity: null },
  { appId: 252490, name: 'Rust', contextId: '2', isAlwaysProtected: false, capacity: null },
  { appId: 570, name: 'Dota 2', contextId: '2', isAlwaysProtected: false, capacity: null },
  { appId: 753, name: 'Steam', contextId: '6', isAlwaysProtected: false, capacity: null },
] as const satisfies readonly Game[];

/** Returns the context of a game's tradable items. */
export const openContextOf = (appId: number): string => gameOf(appId)?.contextId ?? '2';

export const gameOf = (appId: number): Game | null => games.find((game) => game.appId === appId) ?? null;
