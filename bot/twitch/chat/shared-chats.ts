import type { ApiClient } from '@twurple/api';
import { z } from 'zod';
import { call } from '#bot/twitch/api.ts';
import { minute, second } from '#domain/kernel/time.ts';
import { boundedCache } from '#platform/bounded-cache.ts';
import { steadyMs } from '#platform/steady-time.ts';

/** Twitch is not asked again this soon. Steady time. */
const FRESH_MS = 10 * second;
/** An answer counts for this long while Twitch gives no other. Steady time. */
const LAST_KNOWN_MS = 10 * minute;
const MAX_CHATS = 5000;

const answer = z.object({ data: z.array(z.unknown()) });

/**
 * Knows which channels share their chat with others, who would see what is written over IRC or with a user's
 * token (dev.twitch.tv/docs/api/reference, "Get Shared Chat Session" and "Send Chat Message").
 */
export function sharedChats(application: Pick<ApiClient, 'callApi'>) {
  const known = boundedCache<string, { isShared: boolean; atMs: number }>('shared chats', MAX_CHATS);
  return {
    /** Asks Twitch about a channel unless that was done just now. Never throws: then the last answer stays. */
    async look(channelId: string): Promise<void> {
      const last = known.get(channelId);
      if (last && steadyMs() - last.atMs < FRESH_MS) return;
      const query = { broadcaster_id: channelId };
      const asked = { type: 'helix', url: 'shared_chat/session', query, forceType: 'app' } as const;
      await call(application.callApi(asked))
        .then((given) => {
          known.set(channelId, { isShared: answer.parse(given).data.length > 0, atMs: steadyMs() });
        })
        .catch(() => {});
    },
    /** True as well while that is unknown. */
    isShared(channelId: string): boolean {
      const last = known.get(channelId);
      return !last || steadyMs() - last.atMs > LAST_KNOWN_MS || last.isShared;
    },
  };
}
