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
  /** Number of items that an account has room for; null if it is not known for the game. */
  capacity: number | 'perAccount' | null;
  /** Categories of the tags that tell an item's type, rarity and exterior; the first that an item has counts. */
  tags: { type: readonly string[]; rarity: readonly string[]; exterior: readonly string[] };
  /** Lines of a description that set pieces of one name apart, besides what is applied to them. */
  traitLines: RegExp | null;
  /** The line of a counter, whose name is a trait. Counts change with use. */
  counterLines: RegExp | null;
  /** Names that several phases of a finish share; each phase has its own picture. */
  namesWithPhases: RegExp | null;
}

/** Steam keeps the items of any game here while they are under Trade Protection. Only their owner sees them. */
export const PROTECTED_CONTEXT = '16';

export const usualTags = { type: ['Type'], rarity: ['Rarity', 'Quality'], exterior: ['Exterior'] };

const usual = {
  contextId: '2',
  isAlwaysProtected: false,
  isAlwaysCompared: false,
  capacity: null,
  tags: usualTags,
  traitLines: null,
  counterLines: null,
  namesWithPhases: null,
};

export const games = [
  {
    ...usual,
    appId: 730,
    name: 'Counter-Strike 2',
    isAlwaysProtected: true,
    isAlwaysCompared: true,
    capacity: 1000,
    // Each phase has its own picture (FFC12/SkinBot, knifephasedetector.script.js).
    namesWithPhases: /\| (?:Gamma )?Doppler\b/,
  },
  {
    ...usual,
    appId: 440,
    name: 'Team Fortress 2',
    isAlwaysCompared: true,
    capacity: 'perAccount',
    // The attributes that TF2Autobot's SKUs tell apart.
    traitLines:
      /^(?:Halloween: .+|Paint Color: .+|Killstreaker: .+|Sheen: .+|Festivized|Craft #\d+|\( Not Usable in Crafting \))$/,
    // All strange items count kills.
    counterLines: /^\((?!Kills: )(.+): \d+\)$/,
  },
  { ...usual, appId: 252490, name: 'Rust', tags: { ...usualTags, type: ['itemclass'] } },
  { ...usual, appId: 570, name: 'Dota 2' },
  {
    ...usual,
    appId: 753,
    name: 'Steam',
    contextId: '6',
    tags: { type: ['item_class'], rarity: ['droprate'], exterior: ['cardborder'] },
  },
] as const satisfies readonly Game[];

/** Returns the context of a game's tradable items. */
export const openContextOf = (appId: number): string => gameOf(appId)?.contextId ?? '2';

export const gameOf = (appId: number): Game | null => games.find((game) => game.appId === appId) ?? null;
