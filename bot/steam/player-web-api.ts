import { z } from 'zod';
import type { Backpack, SteamAnswer, SteamProfile } from '#bot/steam/steam-account.ts';
import { failure } from '#bot/steam/steam-failure.ts';
import { amount, countedRows, id, readableRows } from '#bot/steam/web-rows.ts';

// Steam's public data about an account: ISteamUser/GetPlayerSummaries v2 and IPlayerService/GetSteamLevel v1
// (partner.steamgames.com/doc/webapi/ISteamUser, steamapi.xpaw.me#IPlayerService/GetSteamLevel).

/** No name or address on Steam is longer. */
const MAX_TEXT = 300;

const player = z.object({
  steamid: id,
  personaname: z.string().max(MAX_TEXT).default(''),
  avatarfull: z
    .url({ protocol: /^https?$/ })
    .max(MAX_TEXT)
    .optional()
    .catch(undefined),
  /** Seconds; missing if the profile is private. */
  timecreated: amount.optional().catch(undefined),
});
export const playersAnswer = z.object({ response: z.object({ players: readableRows(player) }) });
/** The level is missing if the profile is private. */
export const levelAnswer = z.object({ response: z.object({ player_level: amount.optional() }) });

/** An account's public profile; its level is null if Steam did not answer. */
export function profileOf(
  steamId: string,
  { response: { players } }: z.output<typeof playersAnswer>,
  level: z.output<typeof levelAnswer> | null,
): SteamAnswer<SteamProfile> {
  const found = players.find(({ steamid }) => steamid === steamId);
  if (!found)
    return failure('steamUnavailable', 'later', `no profile of ${steamId}, or one that cannot be read`);
  return {
    ok: true,
    value: {
      name: found.personaname,
      pictureUrl: found.avatarfull ?? '',
      level: level?.response.player_level ?? null,
      sinceMs: found.timecreated === undefined ? null : found.timecreated * 1000,
    },
  };
}

/** The only such answer without a frame (partner.steamgames.com/doc/webapi/ISteamUser#GetPlayerBans). */
export const bansAnswer = z.object({
  players: readableRows(
    z.object({ SteamId: id, VACBanned: z.boolean().default(false), NumberOfGameBans: amount.default(0) }),
  ),
});

/** Returns whether an account is banned from any game; Steam does not tell which. */
export function isGameBannedIn(
  steamId: string,
  { players }: z.output<typeof bansAnswer>,
): SteamAnswer<boolean> {
  const found = players.find(({ SteamId }) => SteamId === steamId);
  return found
    ? { ok: true, value: found.VACBanned || found.NumberOfGameBans > 0 }
    : failure('steamUnavailable', 'later', `no bans of ${steamId}, or ones that cannot be read`);
}

/** A backpack in a frame of its own (wiki.teamfortress.com/wiki/WebAPI/GetPlayerItems); 15 is a hidden one. */
export const backpackAnswer = z.object({
  result: z.object({
    status: amount,
    num_backpack_slots: amount.optional().catch(undefined),
    items: countedRows(z.object({ id })),
  }),
});

export function backpackOf({
  result: { status, num_backpack_slots: slots, items },
}: z.output<typeof backpackAnswer>): SteamAnswer<Backpack> {
  if (status === 15) return failure('inventoryPrivate', 'never', 'a hidden backpack');
  return status === 1 && slots && items.unreadable === 0
    ? { ok: true, value: { slots, assetIds: items.rows.map((item) => item.id) } }
    : failure('steamUnavailable', 'later', `no backpack, or one that cannot be read (status ${status})`);
}
