import { eq } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { watchGaps } from '#db/schema/channel.ts';
import { rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { day } from '#domain/kernel/time.ts';
import { goLive, pass, setChannel, setStage, watched } from './stage.ts';

const asked = { watchMinutes: 3, followDays: 1, subscriberTier: 1, rewards: 2 } as const;
/** Often enough that a call fails despite Twurple's retries. */
const often = { 401: 4, 403: 2, 429: 1, 500: 8, drop: 8 } as const;
const paths = ['/mock/streams', '/mock/chat/chatters', '/mock/channels/followers', '/mock/subscriptions'];

describe('Twitch’s API', () => {
  for (const answer of [401, 403, 429, 500, 'drop'] as const)
    test(`may answer ${answer} anywhere: nothing is lost, counted twice or promised twice`, async () => {
      const stage = await setStage();
      const { world } = stage;
      const { streamer, viewer, ruleId } = await setChannel(stage, asked);
      const { twitchId: channelId } = streamer;
      world.follow(channelId, viewer.twitchId, stage.clock.now() - 2 * day);
      world.subscribe(channelId, viewer.twitchId, '1000');
      for (const path of paths) world.faults.failNext({ answer, path, times: often[answer] });
      const bots = [await stage.startBot(), await stage.startBot()];
      await goLive(stage, channelId);
      for (let minutes = 1; minutes <= 3; minutes += 1) {
        if (minutes === 2) world.faults.failNext({ answer, path: '/mock/chat/chatters' });
        await pass(stage, channelId);
      }
      const promised = async () => {
        const rows = await stage.db.read.select().from(rewards).where(eq(rewards.ruleId, ruleId));
        return rows.filter(({ state }) => state === 'promised').map(({ twitchId }) => twitchId);
      };
      await expect.poll(promised).toEqual([viewer.twitchId]);
      expect(await watched(stage.db)).toEqual({ [viewer.twitchId]: 180 });
      expect(await stage.db.read.select().from(watchGaps)).toEqual([]);
      expect(world.faults.pending().requests).toEqual([]);
      const [rule] = await stage.db.read.select().from(rules).where(eq(rules.id, ruleId));
      expect(rule?.state).toBe('open');
      await expect.poll(() => bots.map((bot) => bot.report().twitch?.state)).toEqual(['ready', 'ready']);
    });
});
