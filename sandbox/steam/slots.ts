import type { SteamPerson } from './state.ts';

/**
 * Premium accounts of Team Fortress 2 have 300 slots, free ones 50, and both more with expanders
 * (wiki.teamfortress.com/wiki/Backpack, wiki.teamfortress.com/wiki/Account_types).
 */
const PREMIUM_SLOTS = 300;
const COUNTER_STRIKE_SLOTS = 1000;

/** Number of items of a game that an account has room for. */
export function slotsOf({ backpackSlots = PREMIUM_SLOTS }: SteamPerson, appid: number): number {
  if (appid === 440) return backpackSlots;
  return appid === 730 ? COUNTER_STRIKE_SLOTS : Number.POSITIVE_INFINITY;
}
