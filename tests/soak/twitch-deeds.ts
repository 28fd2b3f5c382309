import type { Actor } from './actor.ts';
import { HOST_PACE } from './host-clock.ts';
import type { Stage } from './stage.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** All channels go live, and most viewers join, follow or subscribe. */
export async function gather(stage: Stage): Promise<void> {
  const { streamers, viewers, panel } = stage;
  const chance = stage.chanceOf('gather');
  for (const { twitchId: channelId } of streamers) {
    await goLive(stage, channelId);
    for (const { twitchId: userId } of viewers) {
      if (chance.is(0.6)) await join(stage, channelId, userId);
      if (chance.is(0.5))
        await panel.act(`/twitch/${channelId}/follow`, { userId, days: chance.between(0, 9) });
      if (chance.is(0.3)) await panel.act(`/twitch/${channelId}/subscribe`, { userId, tier: '2000' });
    }
  }
}

// The truth is never understated: starts are recorded before they happen, ends afterwards.
async function goLive({ panel, watchTruth }: Stage, channelId: string): Promise<void> {
  watchTruth.wentLive(channelId);
  await panel.act(`/twitch/${channelId}/live`, { title: 'Soak' });
}

async function goOffline({ panel, watchTruth }: Stage, channelId: string): Promise<void> {
  await panel.act(`/twitch/${channelId}/offline`);
  watchTruth.wentOffline(channelId);
}

async function join({ panel, watchTruth }: Stage, channelId: string, userId: string): Promise<void> {
  watchTruth.joined(channelId, userId);
  await panel.act(`/twitch/${channelId}/chatters/join`, { userId });
}

async function leave({ panel, watchTruth }: Stage, channelId: string, userId: string): Promise<void> {
  await panel.act(`/twitch/${channelId}/chatters/leave`, { userId });
  watchTruth.left(channelId, userId);
}

/** Actions of streamers and viewers on Twitch, except channel points. In chat they say one of the words. */
export function twitchDeeds(stage: Stage, words: readonly string[] = ['!progress', '!rewards']): Actor {
  const { streamers, viewers, panel, tally, watchTruth } = stage;
  const chance = stage.chanceOf('twitch');
  return {
    name: 'twitch',
    pauseMs: () => chance.between(800, 2500),
    async act() {
      const channelId = chance.pick(streamers)?.twitchId ?? '';
      const userId = chance.pick(viewers)?.twitchId ?? '';
      const at = `/twitch/${channelId}`;
      const deeds = {
        join: () => join(stage, channelId, userId),
        leave: () => leave(stage, channelId, userId),
        follow: () => panel.act(`${at}/follow`, { userId, days: chance.between(0, 5) }),
        unfollow: () => panel.act(`${at}/unfollow`, { userId }),
        subscribe: () => panel.act(`${at}/subscribe`, { userId, tier: chance.is(0.5) ? '1000' : '2000' }),
        unsubscribe: () => panel.act(`${at}/unsubscribe`, { userId }),
        say: () => panel.act(`${at}/say`, { userId, text: chance.pick(words) }),
        flap: () => panel.act(`${at}/offline`, { flapping: true }),
        // If it stayed offline for long, nobody would qualify.
        onOff: () =>
          watchTruth.isLive(channelId) && chance.is(0.3)
            ? goOffline(stage, channelId)
            : goLive(stage, channelId),
      };
      const shares = { join: 6, leave: 4, follow: 3, unfollow: 1, subscribe: 3, unsubscribe: 1, say: 4 };
      const deed = chance.among({ ...shares, flap: 1, onOff: 4 });
      await deeds[deed]();
      tally.note(`twitch: ${deed}`);
    },
  };
}

/** A minute passes in the time in which it does for the product's pauses, sometimes an hour, and rarely days. */
export function passingTime({ panel, tally, ...stage }: Stage): Actor {
  const chance = stage.chanceOf('time');
  const [shortestMs, longestMs] = [(0.7 * minute) / HOST_PACE, (1.3 * minute) / HOST_PACE];
  return {
    name: 'time',
    pauseMs: () => chance.between(shortestMs, longestMs),
    async act() {
      const step = chance.among({ minute: 30, hour: 3, day: 2, days: 1 });
      const length = { minute, hour, day, days: chance.between(2, 5) * day };
      await panel.advance(length[step]);
      tally.note(`time: ${step}`);
    },
  };
}
