import type { Permissions } from './browser.ts';

/** The pages of others on which the extension shows something, each only where its user allows it. */
export const places = ['steam', 'twitch'] as const;
export type Place = (typeof places)[number];

interface PlaceFacts {
  /** The origin that is allowed. */
  matches: string[];
  /** The pages there that get the script; the others are left alone. */
  pages: string[];
  script: string;
}

const steam = 'https://steamcommunity.com';
const twitch = 'https://www.twitch.tv/*';

export const placeFacts: Record<Place, PlaceFacts> = {
  steam: {
    matches: [`${steam}/*`],
    pages: [`${steam}/tradeoffer/*`, `${steam}/profiles/*/tradeoffers*`, `${steam}/id/*/tradeoffers*`],
    script: 'steam.js',
  },
  // Its pages change without being loaded.
  twitch: { matches: [twitch], pages: [twitch], script: 'twitch.js' },
};

/** The permissions that a place needs. */
export const permissionsFor = (place: Place): Permissions => ({
  permissions: ['scripting'],
  origins: placeFacts[place].matches,
});
