import type { z } from 'zod';
import {
  backpackAnswer,
  backpackOf,
  bansAnswer,
  isGameBannedIn,
  levelAnswer,
  playersAnswer,
  profileOf,
} from '#bot/steam/player-web-api.ts';
import type { Backpack, SteamAnswer, SteamProfile } from '#bot/steam/steam-account.ts';

/** Reads JSON from a method of Steam's Web API, with a deadline. */
export type WebApi = <S extends z.ZodType>(
  method: string,
  query: Record<string, string | number>,
  schema: S,
  options: { path: string },
) => Promise<SteamAnswer<z.output<S>>>;

/** Readings of what Steam tells about an account besides its trades. */
export class PlayerReads {
  readonly #webApi: WebApi;

  constructor(webApi: WebApi) {
    this.#webApi = webApi;
  }

  async profile(steamId: string): Promise<SteamAnswer<SteamProfile>> {
    const players = await this.#webApi('GetPlayerSummaries', { steamids: steamId }, playersAnswer, {
      path: 'ISteamUser/GetPlayerSummaries/v2',
    });
    if (!players.ok) return players;
    const path = 'IPlayerService/GetSteamLevel/v1';
    const level = await this.#webApi('GetSteamLevel', { steamid: steamId }, levelAnswer, { path });
    return profileOf(steamId, players.value, level.ok ? level.value : null);
  }

  async isGameBanned(steamId: string): Promise<SteamAnswer<boolean>> {
    const path = 'ISteamUser/GetPlayerBans/v1';
    const bans = await this.#webApi('GetPlayerBans', { steamids: steamId }, bansAnswer, { path });
    return bans.ok ? isGameBannedIn(steamId, bans.value) : bans;
  }

  async backpack(steamId: string): Promise<SteamAnswer<Backpack>> {
    const path = 'IEconItems_440/GetPlayerItems/v1';
    const items = await this.#webApi('GetPlayerItems', { steamid: steamId }, backpackAnswer, { path });
    return items.ok ? backpackOf(items.value) : items;
  }
}
