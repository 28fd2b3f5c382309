import type { ApiClient } from '@twurple/api';
import { z } from 'zod';
import type { Log } from '#bot/log.ts';
import { call } from '#bot/twitch/api.ts';
import { twitchFaultOf } from '#bot/twitch/twitch-fault.ts';
import { pinScope } from '#domain/identity/twitch/twitch-scopes.ts';

/** Twitch takes 30 to 1800 seconds. */
const PINNED_FOR_SECONDS = 600;

const answer = z.object({ data: z.array(z.unknown()) });

/** Pins a line in a channel's chat for some minutes, unless something is pinned there. Never throws, and tries once. */
export type PinLine = (channelId: string, messageId: string) => Promise<void>;

/**
 * Get and Pin Chat Message, for an account that moderates there and granted it; where it does not, Twitch refuses and the
 * line stays as it is. A pin whose answer was lost may stand.
 */
export function linePinner(account: Pick<ApiClient, 'callApi'>, twitchId: string, log: Log): PinLine {
  const asked = { type: 'helix' as const, url: 'chat/pins', userId: twitchId, scopes: [pinScope] };
  return async (channelId, messageId) => {
    const query = { broadcaster_id: channelId, moderator_id: twitchId };
    const pin = { message_id: messageId, duration_seconds: String(PINNED_FOR_SECONDS) };
    try {
      const { data } = answer.parse(await call(account.callApi({ ...asked, query })));
      if (data.length > 0) return;
      await call(account.callApi({ ...asked, method: 'PUT', query: { ...query, ...pin } }));
    } catch (error) {
      log.debug(
        { channelId, code: twitchFaultOf(error).code },
        'a line was not pinned, or Twitch did not say',
      );
    }
  };
}
