import type { Actor } from '../soak/actor.ts';
import type { Stage } from '../soak/stage.ts';
import { QUESTION } from './check-cluster.ts';

/** The share of questions that viewers ask, as long as some of them have not. */
const VIEWERS_SHARE = 0.3;

/**
 * People ask in chat how far they are: each viewer once on each channel, and others who are on Twitch only and come for
 * this one question.
 */
export function questions({ panel, tally, streamers, viewers, ...stage }: Stage): Actor {
  const chance = stage.chanceOf('questions');
  const left = streamers.flatMap((channel) =>
    viewers.map((viewer) => ({ channelId: channel.twitchId, userId: viewer.twitchId })),
  );
  let strangers = 0;
  const askerHere = async () => {
    if (left.length > 0 && chance.is(VIEWERS_SHARE))
      return left.splice(chance.between(0, left.length - 1), 1)[0];
    strangers += 1;
    const made = await panel.act<{ user: { id: string } }>('/twitch/users', { login: `asker_${strangers}` });
    return { channelId: chance.pick(streamers)?.twitchId, userId: made?.user.id };
  };
  return {
    name: 'questions',
    pauseMs: () => chance.between(400, 1200),
    async act() {
      const asker = await askerHere();
      await panel.act(`/twitch/${asker?.channelId}/say`, { userId: asker?.userId, text: QUESTION });
      tally.note('question');
    },
  };
}
