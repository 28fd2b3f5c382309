import { eq } from 'drizzle-orm';
import { is } from '#db/dialect.ts';
import { chatAccounts, twitchAccounts } from '#db/schema/account.ts';
import { linkTwitch } from '#domain/account/twitch/link-twitch.ts';
import { streamerScopes } from '#domain/identity/twitch/twitch-scopes.ts';
import { authorize } from '../../cli/demo/authorize.ts';
import { DemoPanel, type World } from '../../cli/demo/panel.ts';
import { settleChatAccount } from '../../cli/demo/people.ts';
import type { Stage } from './stage.ts';

/**
 * Reconnects Twitch for people whom the product asks to: a refresh token is invalid after use, so being killed before
 * the new one is stored loses the grant. Returns how many had to.
 */
export async function reconnect(stage: Stage): Promise<number> {
  const { db, vault, twitch, panel, panelUrl, streamers, chatLogin } = stage;
  const lost = await db.read.select().from(twitchAccounts).where(is(twitchAccounts.state, 'restricted'));
  for (const { twitchId, login, displayName } of lost) {
    const userId = streamers.find((streamer) => streamer.twitchId === twitchId)?.userId;
    if (!userId) continue;
    const grant = await authorize(twitch, login, streamerScopes);
    const person = { twitchId, login, displayName, pictureUrl: '', email: null };
    const linked = await linkTwitch(
      db,
      { vault, userId, person, grant },
      panel.nowMs() + stage.hostClock.aheadMs,
    );
    if (!linked.ok) throw new Error(`${login} could not connect again: ${linked.code}`);
    stage.tally.note('reconnect');
  }
  const [broken] = await db.read.select().from(chatAccounts).where(eq(chatAccounts.broken, true));
  if (!broken) return lost.length;
  const world = await new DemoPanel(panelUrl).get<World>('/world.json');
  await settleChatAccount({ ...stage, world }, chatLogin);
  stage.tally.note('reconnect the chat');
  return lost.length + 1;
}
