import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { forwardOnly } from '#platform/steady-time.ts';

/**
 * Files that mean the date: leases and pauses in the database, tokens, the age of what Twitch dates, and the comparison
 * with Steam's clock.
 */
const dates: Record<string, number> = {
  'bot/steam/start-steam.ts': 1,
  'bot/steam/steam-bot.ts': 7,
  'bot/steam/steam-session.ts': 1,
  'bot/steam/transfers/deliver-transfers.ts': 5,
  'bot/steam/transfers/resolve-uncertain.ts': 2,
  'bot/twitch/chat/chat-account.ts': 5,
  'bot/twitch/chat/chat-session.ts': 1,
  'bot/twitch/chat/chat-voice.ts': 1,
  'bot/twitch/count-late.ts': 1,
  'bot/twitch/events/event-by-conduit.ts': 1,
  'bot/twitch/events/event-dispatcher.ts': 3,
  'bot/twitch/grants/grant-keeper.ts': 1,
  'bot/twitch/grants/oauth.ts': 2,
  'bot/twitch/pace/token-bucket.ts': 6,
  'bot/twitch/points/custom-reward-keeper.ts': 2,
  'bot/twitch/points/redemption-poller.ts': 1,
  'bot/twitch/points/redemption-settler.ts': 4,
  'db/engine/await-silence.ts': 1,
};

test('What waits on Steam, Twitch or the database measures time that a corrected clock does not change', () => {
  const files = ['bot/steam', 'bot/twitch', 'db'].flatMap((room) =>
    readdirSync(room, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `${room}/${name}`),
  );
  expect(files.length).toBeGreaterThan(100);
  const found = files.flatMap((file) => {
    const uses = readFileSync(file, 'utf8').match(/Date\.now/g)?.length ?? 0;
    return uses > 0 ? [[file, uses] as const] : [];
  });
  expect(Object.fromEntries(found)).toEqual(dates);
});

test('Steady time goes forward with its clock, and stands still for a moment where that is put back', () => {
  const clock = { ms: 1000 };
  const steadyMs = forwardOnly(() => clock.ms);
  const times = [1000, 1500, 400, 900, 5000].map((ms) => {
    clock.ms = ms;
    return steadyMs();
  });
  expect(times).toEqual([1000, 1500, 1500, 2000, 6100]);
});
