import type { LeaseName } from './take-leases.ts';

/** A role of a bot process, of its BOT_ROLES. */
type BotRole = 'steam' | 'twitch' | 'housekeeping';

/** The role that a part of the work belongs to. */
export function roleOf(name: LeaseName): BotRole {
  if (name === 'steam') return 'steam';
  return name.startsWith('twitch:') || name.startsWith('chat:') ? 'twitch' : 'housekeeping';
}
