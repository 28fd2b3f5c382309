import { getTableColumns, getTableName } from 'drizzle-orm';
import { expect, test } from 'vitest';
import {
  attendances,
  excludedLogins,
  stamps,
  subscribers,
  viewerGaps,
  watchDays,
  watchTimes,
} from '#db/schema/channel.ts';
import { attendanceBaselines, qualifications, watchBaselines } from '#db/schema/rule.ts';
import { exportAccount } from '#domain/account/export-account.ts';
import { setChatSettings } from '#domain/channel/set-chat-settings.ts';
import { requestEmailChange } from '#domain/identity/email/request-email-change.ts';
import { closeRule } from '#domain/rule/close-rule.ts';
import { openTestDatabase } from '#tests/support/database.ts';
import { addPerson, addRule, addStreamer, START_MS } from '#tests/support/fixtures.ts';
import { tables } from '#tests/support/tables.ts';

/** The export's name for each table with personal data, or why it is left out. */
const reported: Record<string, string | { leftOut: string }> = {
  users: 'account',
  sessions: 'sessions',
  email_tokens: 'account',
  api_tokens: 'apiTokens',
  push_devices: 'pushDevices',
  access_requests: { leftOut: 'a program’s name and hashes of its codes, for a day' },
  extension_codes: { leftOut: 'a secret of ten minutes' },
  authenticators: 'secondFactor',
  recovery_codes: 'secondFactor',
  passkeys: 'secondFactor',
  passkey_challenges: { leftOut: 'a secret of ten minutes' },
  pending_sign_ins: { leftOut: 'a secret of ten minutes' },
  twitch_accounts: 'links',
  steam_accounts: 'links',
  chat_accounts: { leftOut: 'of the operator' },
  bots: { leftOut: 'they are ours' },
  overlays: 'overlay',
  channel_guests: 'hostChannels',
  excluded_logins: 'channel',
  watch_times: 'watchTime',
  watch_days: 'watchedDays',
  viewer_gaps: 'notCounted',
  watch_baselines: 'watchedBeforeRules',
  attendances: 'attendedStreams',
  stamps: 'lastAttendedStreams',
  attendance_baselines: 'attendedBeforeRules',
  follows: 'follows',
  subscribers: 'subscriptions',
  contact_messages: 'messages',
  stripe_customers: 'stripeCustomerId',
  subscriptions: 'premiumSubscriptions',
  checkouts: 'checkouts',
  billing_acts: 'billingActs',
  trials: 'trials',
  events: { leftOut: 'says only that one of these changed' },
  mails: { leftOut: 'its values are emptied once it is sent' },
  redemptions: 'redemptions',
  draws: 'rewards',
  rules: 'rules',
  qualifications: 'waitingLists',
  raffles: 'raffles',
  raffle_entries: 'raffleEntries',
  items: 'items',
  rewards: 'rewards',
  transfers: 'transfers',
};
const naming = ['userId', 'ownerId', 'twitchId', 'steamId', 'partnerSteamId', 'email', 'recipient'];

test('Every table with personal data is in the export, or listed here as left out', async () => {
  await using db = await openTestDatabase();
  const named = tables.filter((table) =>
    Object.keys(getTableColumns(table)).some((name) => naming.includes(name)),
  );
  expect(named.map((table) => getTableName(table)).sort()).toEqual(Object.keys(reported).sort());
  const exported = await exportAccount(db, await addPerson(db), START_MS);
  const places = Object.values(reported).filter((place) => typeof place === 'string');
  expect(Object.keys(exported as object)).toEqual(expect.arrayContaining(places));
});

test('A person’s counters are exported, each with its channel and day', async () => {
  await using db = await openTestDatabase();
  const [streamer, viewer, other] = [await addStreamer(db), await addPerson(db), await addPerson(db)];
  const ruleId = await addRule(db, streamer, { rewards: 0, name: 'Ten minutes' });
  const channelId = streamer.twitchId;
  await db.transaction(async (tx) => {
    for (const [{ twitchId }, seconds] of [
      [viewer, 540],
      [other, 777],
    ] as const) {
      await tx.insert(subscribers).values({ channelId, twitchId, tier: 2 });
      await tx.insert(watchTimes).values({ channelId, twitchId, seconds, nextCheckSeconds: 0 });
      await tx.insert(watchDays).values({ channelId, twitchId, dayMs: START_MS, seconds });
      await tx.insert(watchBaselines).values({ ruleId, twitchId, seconds });
      const last = { streamNumber: 12, fromSeconds: seconds, attended: true };
      await tx.insert(attendances).values({ channelId, twitchId, streams: 3, ...last });
      await tx.insert(stamps).values({ channelId, twitchId, number: 3, streamNumber: 12 });
      await tx.insert(attendanceBaselines).values({ ruleId, twitchId, streams: 2 });
      await tx
        .insert(viewerGaps)
        .values({ channelId, twitchId, fromMs: START_MS, untilMs: START_MS + seconds });
      const [qualifiedAtMs, tieBreak] = [START_MS, 'a tie is broken by it'];
      await tx.insert(qualifications).values({ ruleId, twitchId, qualifiedAtMs, tieBreak });
    }
  });
  const exported = await exportAccount(db, viewer, START_MS);
  const at = new Date(START_MS).toISOString();
  expect(exported).toMatchObject({
    channel: { excludedLogins: [] },
    subscriptions: [{ channelId, tier: 2 }],
    watchedDays: [{ channelId, day: at, seconds: 540 }],
    watchedBeforeRules: [{ ruleId, seconds: 540 }],
    attendedStreams: [{ channelId, streams: 3, fromSeconds: 540 }],
    lastAttendedStreams: [{ channelId, number: 3, streamNumber: 12 }],
    attendedBeforeRules: [{ ruleId, streams: 2 }],
    notCounted: [
      { channelId, from: at, until: new Date(START_MS + 540).toISOString(), reason: 'watchedElsewhere' },
    ],
    waitingLists: [{ ruleId, rule: 'Ten minutes', metAt: at, promisedAt: null }],
  });
  for (const foreign of ['"seconds":777', '"fromSeconds":777', 'a tie is broken', `"${other.twitchId}"`])
    expect(JSON.stringify(exported)).not.toContain(foreign);
});

test('A streamer’s channel settings are exported, and so is the unconfirmed address', async () => {
  await using db = await openTestDatabase();
  const streamer = await addStreamer(db);
  const { userId, twitchId: channelId } = streamer;
  await setChatSettings(db, { userId, settings: { chatLocale: 'ru', announcesPromises: true } }, START_MS);
  await db.transaction(async (tx) => {
    await tx.insert(excludedLogins).values({ channelId, login: 'demo_helper' });
  });
  await requestEmailChange(db, { userId, email: 'next@example.org', password: '' }, START_MS);
  expect(await exportAccount(db, streamer, START_MS)).toMatchObject({
    account: { emailToConfirm: 'next@example.org' },
    channel: {
      channelId,
      chatLanguage: 'ru',
      announcesPromises: true,
      hidden: false,
      excludedLogins: ['demo_helper'],
    },
  });
});

test('The seed of a rule is exported once the rule is closed, and nobody sees it before', async () => {
  await using db = await openTestDatabase();
  const streamer = await addStreamer(db);
  const open = await addRule(db, streamer, { rewards: 0 });
  const closed = await addRule(db, streamer, { rewards: 0 });
  await closeRule(db, { ruleId: closed, userId: streamer.userId }, START_MS);
  const { rules } = (await exportAccount(db, streamer, START_MS)) as {
    rules: { id: string; seed?: string }[];
  };
  expect(Object.fromEntries(rules.map(({ id, seed }) => [id, seed]))).toEqual({
    [open]: undefined,
    [closed]: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  expect(rules.find(({ id }) => id === open)).not.toHaveProperty('seed');
});
