/** A game whose items can be given away. */
export interface Game {
  appId: number;
  name: string;
  /** The inventory context that holds tradable items. */
  contextId: string;
  /**
   * The context of items under Trade Protection, visible only to their owner. Null if the game has no
   * protection.
   */
  protectedContextId: string | null;
  /** Number of items that every account has room for; null if accounts differ and Steam does not tell. */
  capacity: number | null;
}

/** Steam keeps the items of any game here while they are under Trade Protection. */
export const PROTECTED_CONTEXT = '16';

export const games = [
  { appId: 730, name: 'Counter-Strike 2', contextId: '2', protectedContextId: '16', capacity: 1000 },
  { appId: 440, name: 'Team Fortress 2', contextId: '2', protectedContextId: null, capacity: null },
] as const satisfies readonly Game[];

export const gameOf = (appId: number): Game | null => games.find((game) => game.appId === appId) ?? null;
