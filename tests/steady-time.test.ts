import { readdirSync, readFileSync } from 'node:fs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { hour } from '#domain/kernel/time.ts';
import { steadyMs } from '#platform/steady-time.ts';
import { holdTime, passTime, stepHostClock } from '#tests/support/passing-time.ts';

const sourcesOf = (...rooms: string[]): string[] =>
  rooms.flatMap((room) =>
    readdirSync(room, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name))
      .map((name) => `${room}/${name}`),
  );

const countUses = (files: readonly string[], use: RegExp): Record<string, number> =>
  Object.fromEntries(
    files.flatMap((file) => {
      const uses = readFileSync(file, 'utf8').match(use)?.length ?? 0;
      return uses > 0 ? [[file, uses]] : [];
    }),
  );

/**
 * Files that mean the date: leases and pauses in the database, tokens, the age of what others date, times that people
 * read, and the comparison with clocks elsewhere.
 */
const dates: Record<string, number> = {
  'billing/follow-reversal.ts': 1,
  'billing/gather-events.ts': 1,
  'billing/handle-events.ts': 4,
  'billing/run-round.ts': 1,
  'bot/commands/answer-chat.ts': 1,
  'bot/commands/answer-raffle.ts': 1,
  'bot/commands/gather-entries.ts': 2,
  'bot/leases.ts': 2,
  'bot/push/push-client.ts': 1,
  'bot/push/send-pushes.ts': 4,
  'bot/server.ts': 3,
  'bot/steam/start-steam.ts': 1,
  'bot/steam/steam-bot.ts': 6,
  'bot/steam/steam-session.ts': 1,
  'bot/steam/transfers/deliver-transfers.ts': 5,
  'bot/steam/transfers/resolve-uncertain.ts': 2,
  'bot/twitch/chat/chat-account.ts': 1,
  'bot/twitch/chat/chat-session.ts': 1,
  'bot/twitch/chat/chat-voice.ts': 1,
  'bot/twitch/count-late.ts': 1,
  'bot/twitch/events/event-by-conduit.ts': 1,
  'bot/twitch/events/event-dispatcher.ts': 3,
  'bot/twitch/grants/grant-keeper.ts': 1,
  'bot/twitch/grants/oauth.ts': 2,
  'bot/twitch/pace/token-bucket.ts': 1,
  'bot/twitch/points/custom-reward-keeper.ts': 2,
  'bot/twitch/points/redemption-poller.ts': 1,
  'bot/twitch/points/redemption-settler.ts': 4,
  'bot/workers/send-mails.ts': 3,
  'bot/workers/start-billing.ts': 1,
  'bot/workers/start-housekeeping.ts': 5,
  'bot/workers/start-mails.ts': 1,
  'bot/workers/start-pushes.ts': 1,
  'cli/backup/commands.ts': 4,
  'cli/backup/schedule-backups.ts': 1,
  'cli/connect-chat-account.ts': 1,
  'cli/custody.ts': 1,
  'cli/demo/authorize.ts': 1,
  'cli/demo/demo.ts': 1,
  'cli/demo/stock.ts': 1,
  'cli/doctor/examine-clock.ts': 2,
  'cli/doctor/examine-postgres.ts': 1,
  'cli/init/try-bots.ts': 2,
  'cli/keepsake.ts': 3,
  'cli/start.ts': 1,
  'cli/start/hold-folder.ts': 1,
  'db/engine/await-silence.ts': 1,
  'domain/claim/claim-reward.ts': 1,
  'platform/bot-away.ts': 1,
  'platform/clock.ts': 2,
  'platform/recent-faults.ts': 1,
};

test('Pauses, deadlines and ages are measured by a clock that nobody sets', () => {
  const files = sourcesOf('billing', 'bot', 'cli', 'db', 'domain', 'platform');
  expect(files.length).toBeGreaterThan(500);
  expect(countUses(files, /Date\.now|new Date\(\)/g)).toEqual(dates);
});

/** Ends of what a browser or somebody else's proof carries, which another process may read. */
const reckoned: Record<string, number> = {
  'app/api/shared-calls.server.ts': 2,
  'app/routes/auth/passkey-sign-in.server.ts': 2,
  'app/services/captcha/turnstile.server.ts': 1,
};

test('The web hands the date on, and reckons by it only where another process reads the result', () => {
  const uses = countUses(sourcesOf('app'), /Date\.now\(\) [-+<>]|[-+<>]=? Date\.now\(\)/g);
  expect(uses).toEqual(reckoned);
});

test('Steady time goes on while the host’s clock is set forward and back by hours', () => {
  holdTime();
  onTestFinished(() => void vi.useRealTimers());
  const beganMs = steadyMs();
  const passed = [9, -12, 3].map((hours) => {
    stepHostClock(hours * hour);
    passTime(500);
    return steadyMs() - beganMs;
  });
  expect(passed).toEqual([500, 1000, 1500]);
  expect(Number.isInteger(steadyMs())).toBe(true);
});
