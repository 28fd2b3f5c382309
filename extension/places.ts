import type { Permissions } from './browser.ts';

/** The pages of others on which the extension shows something, each only where its user allows it. */
export const places = ['steam', 'twitch'] as const;
export type Place = (typeof places)[number];

interface PlaceFacts {
  matches: string[];
  script: string;
}

export const placeFacts: Record<Place, PlaceFacts> = {
  steam: { matches: ['https://steamcommunity.com/*'], script: 'steam.js' },
  twitch: { matches: ['https://www.twitch.tv/*'], script: 'twitch.js' },
};

/** The permissions that a place needs. */
export const permissionsFor = (place: Place): Permissions => ({
  permissions: ['scripting'],
  origins: placeFacts[place].matches,
});
