import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { attendances, channels, follows, stamps } from '#db/schema/channel.ts';
import { type Locale, users } from '#db/schema/user.ts';
import { connectChatAccount } from '#domain/account/twitch/connect-chat-account.ts';
import { findChatAccount } from '#domain/account/twitch/find-chat-account.ts';
import { setChatSettings } from '#domain/channel/set-chat-settings.ts';
import { day } from '#domain/kernel/time.ts';
import { expirePromises } from '#domain/reward/expire-promises.ts';
import { announceRule } from '#domain/rule/announce-rule.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { addRule } from '#tests/support/fixtures.ts';
import { hurriedTwitchPace } from '#tests/support/twitch-pace.ts';
import { watchFor } from '#tests/support/watching.ts';
import { askDirectly, chatScopes, commandsOf, countJoins, inChat, messageOf, setChat } from './chat-stage.ts';
import { addTwitchPerson, botLogin, goLive, grantOf, until } from './stage.ts';

/** The sentence that every answer about watch time ends with. */
const listed = 'Time counts while Twitch lists you in the chat.';

describe('Commands in chat', () => {
  test('are answered in English on a channel of an English-speaking streamer', async () => {
    const { stage, streamer, ask } = await setChat();
    const viewer = await addTwitchPerson(stage);
    const stranger = stage.world.addUser({ login: 'demo_stranger', displayName: 'Demo_Stranger' });
    await watchFor(stage.db, streamer.twitchId, [[viewer.twitchId, 7 * 3600 + 12 * 60 + 59]]);
    stage.world.follow(streamer.twitchId, viewer.twitchId, stage.clock.now() - 1.5 * day);
    const bot = await stage.startBot();
    await inChat(stage, streamer.twitchId);
    await until(
      () => bot.report().chat,
      (chat) => chat?.state === 'ready' && chat.detail === 'in 1 of 1 channels',
    );
    expect(await ask(stranger.id, '!rewards')).toBe(
      'Rewards here: “Ten hours”: watch 10 h and follow for 2 days (1 left). http://localhost:3000',
    );
    await until(
      () => stage.db.read.select().from(follows),
      (rows) => rows.length === 1,
    );
    expect(await ask(viewer.twitchId, '!Progress please')).toBe(
      `@${viewer.login} “Ten hours”: 7 h 12 min of 10 h, following 1 of 2 days`,
    );
  });

  test('are answered in Russian on a channel of a Russian-speaking streamer', async () => {
    const { stage, streamer, ask } = await setChat({ locale: 'ru' });
    const viewer = await addTwitchPerson(stage);
    await watchFor(stage.db, streamer.twitchId, [[viewer.twitchId, 7 * 3600 + 12 * 60]]);
    await stage.startBot();
    await inChat(stage, streamer.twitchId);
    expect(await ask(viewer.twitchId, '!rewards')).toBe(
      'Здесь можно получить: «Ten hours»: смотреть 10 ч и отслеживать канал 2 дня (осталось: 1). http://localhost:3000',
    );
    expect(await ask(viewer.twitchId, '!progress')).toBe(
      `@${viewer.login} «Ten hours»: 7 ч 12 мин из 10 ч, канал не отслеживается (нужно 2 дня)`,
    );
  });

  test('tell viewers who cannot earn yet what is missing, and the broadcaster that these are their own rewards', async () => {
    const { stage, streamer } = await setChat();
    const unverified = await addTwitchPerson(stage);
    // Linked before verification was required.
    await stage.db.transaction(async (tx) => {
      await tx.update(users).set({ emailVerifiedAtMs: null }).where(eq(users.id, unverified.userId));
    });
    const elsewhere = await addTwitchPerson(stage, { streams: true, locale: 'ru' });
    const asks = async (twitchId: string, channelId = streamer.twitchId) =>
      commandsOf(stage)({ ...messageOf(channelId, twitchId), text: '!progress' });
    const invitation = 'to earn rewards. Your watch time already counts.';
    expect(await asks('1')).toBe(`@Demo sign in with Twitch at http://localhost:3000 ${invitation}`);
    expect(await asks(unverified.twitchId)).toBe(
      `@Demo verify your email at http://localhost:3000 ${invitation}`,
    );
    expect(await asks(streamer.twitchId)).toBe('@Demo these are your own rewards.');
    expect(await asks('1', elsewhere.twitchId)).toBe(
      '@Demo войдите через Twitch на http://localhost:3000, чтобы получать награды. Время просмотра уже засчитывается.',
    );
    expect(await asks(streamer.twitchId, elsewhere.twitchId)).toBe('@Demo сейчас на этом канале нет наград.');
  });

  test('list every condition of a rule with the viewer’s progress', async () => {
    const { stage, streamer } = await setChat();
    const viewer = await addTwitchPerson(stage);
    await addRule(stage.db, streamer, {
      name: 'Friends',
      watchMinutes: null,
      subscriberTier: 2,
      pointsCost: 1500,
      rewards: 1,
    });
    const asks = (text: string, locale: Locale) =>
      askDirectly(stage, streamer.twitchId, viewer.twitchId, text, locale);
    expect(await asks('!rewards', 'en')).toContain(
      '“Friends”: subscribe at tier 2 or higher and redeem 1,500 channel points (1 left)',
    );
    expect(await asks('!rewards', 'ru')).toContain(
      '«Friends»: иметь платную подписку не ниже 2-го уровня и обменять 1\u00a0500 баллов канала (осталось: 1)',
    );
    expect(await asks('!progress', 'en')).toContain(
      '“Friends”: not subscribed at tier 2 or higher, 1,500 channel points to redeem',
    );
    expect(await asks('!progress', 'ru')).toContain(
      '«Friends»: нет платной подписки не ниже 2-го уровня, осталось обменять 1\u00a0500 баллов канала',
    );
  });

  test('count streams, those of the last ones too', async () => {
    const { stage, streamer } = await setChat();
    const viewer = await addTwitchPerson(stage);
    const [channelId, twitchId] = [streamer.twitchId, viewer.twitchId];
    const rule = { watchMinutes: null, rewards: 1 };
    await addRule(stage.db, streamer, { ...rule, name: 'Once', attendedStreams: 1 });
    await addRule(stage.db, streamer, { ...rule, name: 'Regular', attendedStreams: 8 });
    await addRule(stage.db, streamer, { ...rule, name: 'Lately', attendedStreams: 3, ofLastStreams: 5 });
    await stage.db.transaction(async (tx) => {
      await tx.update(channels).set({ streamNumber: 9 }).where(eq(channels.id, channelId));
      const last = { streamNumber: 6, fromSeconds: 0, attended: true };
      await tx.insert(attendances).values({ channelId, twitchId, streams: 2, ...last });
      await tx.insert(stamps).values([
        { channelId, twitchId, number: 1, streamNumber: 2 },
        { channelId, twitchId, number: 2, streamNumber: 6 },
      ]);
    });
    const asks = (text: string, locale: Locale) => askDirectly(stage, channelId, twitchId, text, locale);
    expect(await asks('!rewards', 'en')).toMatch(
      /“Once”: be there for 1 stream \(.*“Regular”: be there for 8 streams \(.*“Lately”: be there for 3 streams of 5 in a row/,
    );
    expect(await asks('!rewards', 'ru')).toMatch(
      /«Once»: побывать на 1 стриме \(.*«Lately»: побывать на 3 стримах из 5 подряд/,
    );
    const progress = await asks('!progress', 'en');
    expect(progress).toContain('“Regular”: 2 of 8 streams');
    expect(progress).toContain('“Lately”: 1 of 3 streams');
    expect(await asks('!progress', 'ru')).toContain('2 из 8 стримов');
  });

  test('list first what can be done, and last what has ended', async () => {
    const { stage, streamer } = await setChat();
    const viewer = await addTwitchPerson(stage);
    const asks = () => askDirectly(stage, streamer.twitchId, viewer.twitchId, '!progress', 'en');
    await addRule(stage.db, streamer, { name: 'Over', watchMinutes: 10, watchScope: 'allTime' });
    await addRule(stage.db, streamer, { name: 'Open', watchMinutes: 60, watchScope: 'allTime' });
    await watchFor(stage.db, streamer.twitchId, [[viewer.twitchId, 600]]);
    await evaluateChannel(stage.db, streamer.twitchId, stage.clock.now());
    expect(await asks()).toMatch(/^@Demo “Over”: done! .*“Ten hours”.*“Open”/);
    await expirePromises(stage.db, stage.clock.now() + 14 * day, Date.now());
    expect(await asks()).toMatch(/^@Demo “Ten hours”.*“Open”.*“Over”: not claimed in time$/);
  });

  test('link to rewards that are ready to claim, and tell how long somebody has watched', async () => {
    const { stage, streamer } = await setChat();
    const [viewer, stranger] = [
      await addTwitchPerson(stage),
      stage.world.addUser({ login: 'demo_stranger' }),
    ];
    const asks = (text: string, twitchId = viewer.twitchId, locale: Locale = 'en') =>
      askDirectly(stage, streamer.twitchId, twitchId, text, locale);
    expect(await asks('!claim')).toBe(
      '@Demo nothing is ready to claim here yet. Your progress: http://localhost:3000/rewardProgress',
    );
    expect(await asks('!watchtime')).toBe(`@Demo you have watched 0 min on this channel. ${listed}`);
    await addRule(stage.db, streamer, { watchMinutes: 60, watchScope: 'allTime', rewards: 1 });
    await watchFor(stage.db, streamer.twitchId, [[viewer.twitchId, 2 * 3600]]);
    await watchFor(stage.db, streamer.twitchId, [[stranger.id, 61]]);
    await evaluateChannel(stage.db, streamer.twitchId, stage.clock.now());
    expect(await asks('!claim')).toBe(
      '@Demo a reward is ready for you. Claim: http://localhost:3000/rewardProgress',
    );
    expect(await asks('!claim', viewer.twitchId, 'ru')).toBe(
      '@Demo вас ждёт награда. Получить: http://localhost:3000/rewardProgress',
    );
    expect(await asks('!claim', stranger.id)).toMatch(/^@Demo sign in with Twitch/);
    expect(await asks('!watchtime', stranger.id)).toBe(
      `@Demo you have watched 1 min on this channel. ${listed}`,
    );
    expect(await asks('!watchtime', viewer.twitchId, 'ru')).toBe(
      '@Demo время просмотра этого канала: 2 ч. Оно идёт, пока вы в списке чата.',
    );
  });

  test('are answered once per viewer and cooldown, and other messages are not answered', async () => {
    const { stage, streamer, said, ask } = await setChat();
    const [one, other] = [await addTwitchPerson(stage), await addTwitchPerson(stage)];
    await stage.startBot();
    await inChat(stage, streamer.twitchId);
    await ask(one.twitchId, '!rewards');
    stage.world.say(streamer.twitchId, other.twitchId, '!rewards');
    stage.world.say(streamer.twitchId, other.twitchId, 'hello !rewards');
    stage.world.say(streamer.twitchId, other.twitchId, '!constructor');
    stage.world.say(streamer.twitchId, other.twitchId, '!rewardsplease');
    await ask(other.twitchId, '!progress');
    expect(said()).toHaveLength(2);
  });
});

test('A command that another process has answered, or this one before a restart, is not answered again', async () => {
  const { stage, streamer } = await setChat();
  const { twitchId } = await addTwitchPerson(stage);
  const process = () => commandsOf(stage);
  const message = { ...messageOf(streamer.twitchId, twitchId), text: '!rewards' };
  expect(await process()(message)).toContain('Ten hours');
  expect(await process()(message)).toBeNull();
  expect(await process()({ ...message, id: randomUUID() })).toContain('Ten hours');
});

describe('Promises', () => {
  for (const [locale, line] of [
    ['en', 'earned a reward: “Ten minutes”. Claim: http://localhost:3000/rewardProgress'],
    ['ru', 'Награду по правилу «Ten minutes» получает'],
  ] as const)
    test(`are announced in the chat of a channel that wants it (${locale})`, async () => {
      const { stage, streamer, said } = await setChat();
      const viewer = await addTwitchPerson(stage);
      await setChatSettings(
        stage.db,
        { userId: streamer.userId, settings: { chatLocale: locale, announcesPromises: true } },
        stage.clock.now(),
      );
      await stage.startBot();
      await inChat(stage, streamer.twitchId);
      const rule = { name: 'Ten minutes', watchMinutes: 10, watchScope: 'allTime', rewards: 1 } as const;
      await addRule(stage.db, streamer, rule);
      await watchFor(stage.db, streamer.twitchId, [[viewer.twitchId, 600]]);
      await evaluateChannel(stage.db, streamer.twitchId, stage.clock.now());
      const lines = await until(said, (all) => all.length > 0);
      expect(lines).toHaveLength(1);
      expect(lines[0]).toContain(line);
      expect(lines[0]?.toLowerCase()).toContain(`@${viewer.login}`);
    });
});

test('An open rule is announced at the request of its owner, as it was written', async () => {
  const { stage, streamer, said } = await setChat();
  await stage.startBot();
  await inChat(stage, streamer.twitchId);
  const ruleId = await addRule(stage.db, streamer, { rewards: 1 });
  const line = 'Watch 1 h: a case. http://localhost:3000/channels/demo/1';
  await announceRule(stage.db, { ruleId, userId: streamer.userId, line }, stage.clock.now());
  expect(await until(said, (all) => all.length > 0)).toEqual([line]);
});

describe('A renamed channel', () => {
  test('is followed to its new chat, and nothing of it is told to whoever took its login', async () => {
    const { stage, streamer, said, ask } = await setChat();
    const viewer = await addTwitchPerson(stage);
    await setChatSettings(
      stage.db,
      { userId: streamer.userId, settings: { chatLocale: 'en', announcesPromises: true } },
      stage.clock.now(),
    );
    await stage.startBot();
    await goLive(stage, streamer.twitchId);
    await inChat(stage, streamer.twitchId);
    stage.world.rename(streamer.twitchId, 'demo_renamed');
    const stranger = stage.world.addUser({ login: streamer.login });
    stage.world.say(stranger.id, viewer.twitchId, '!rewards');
    await until(
      () => stage.db.read.select().from(channels).where(eq(channels.id, streamer.twitchId)),
      ([channel]) => channel?.login === 'demo_renamed',
    );
    await addRule(stage.db, streamer, { watchMinutes: 10, watchScope: 'allTime', rewards: 1 });
    await watchFor(stage.db, streamer.twitchId, [[viewer.twitchId, 600]]);
    await evaluateChannel(stage.db, streamer.twitchId, stage.clock.now());
    await until(said, (lines) => lines.length === 1);
    expect(await ask(viewer.twitchId, '!rewards')).toContain('Ten hours');
    expect(stage.world.chatLog(stranger.id).map(({ userId }) => userId)).toEqual([viewer.twitchId]);
    expect(stage.world.chattersOf(stranger.id).map(({ login }) => login)).not.toContain(botLogin);
  });
});

describe('Several chat accounts', () => {
  test('share the channels, and each answers in its own', async () => {
    const { stage, streamer } = await setChat();
    const other = await addTwitchPerson(stage, { streams: true });
    await addRule(stage.db, other, { name: 'Elsewhere', watchMinutes: 10, rewards: 1 });
    const second = stage.world.addUser({ login: 'keepsake_demo_bot_2' });
    await connectChatAccount(stage.db, {
      vault: stage.vault,
      twitchId: second.id,
      login: second.login,
      grant: grantOf(stage, second.id, chatScopes),
    });
    stage.deps.config.twitch.botLogins.push(second.login);
    const bot = await stage.startBot();
    await until(
      () => bot.report().chat,
      (chat) => chat?.state === 'ready' && chat.detail === 'in 1 of 1 channels',
    );
    const present = [streamer, other].map(({ twitchId }) =>
      stage.world
        .chattersOf(twitchId)
        .map(({ login }) => login)
        .filter((login) => login.startsWith('keepsake_demo_bot')),
    );
    expect(present.flat().sort()).toEqual(['keepsake_demo_bot', 'keepsake_demo_bot_2']);
    expect(present.map((logins) => logins.length)).toEqual([1, 1]);
    stage.world.say(other.twitchId, streamer.twitchId, '!rewards');
    const log = await until(
      () => stage.world.chatLog(other.twitchId).map(({ text }) => text),
      (texts) => texts.length > 1,
    );
    expect(log.at(-1)).toContain('Elsewhere');
  });
});

describe('The chat account', () => {
  test('is used once it is connected, and chat is off without it', async () => {
    const { stage, streamer, connect, ask } = await setChat({ connected: false });
    const viewer = await addTwitchPerson(stage);
    const bot = await stage.startBot();
    await until(
      () => bot.report().chat,
      (chat) => chat?.state === 'off',
    );
    await connect();
    await inChat(stage, streamer.twitchId);
    expect(await ask(viewer.twitchId, '!rewards')).toContain('Ten hours');
  });

  for (const fault of ['ircKill', 'ircReconnect', 'ircHalfOpen'] as const)
    test(`reconnects after ${fault} and answers once`, async () => {
      const { stage, streamer, said, ask } = await setChat();
      const [one, other] = [await addTwitchPerson(stage), await addTwitchPerson(stage)];
      await stage.startBot(
        fault === 'ircHalfOpen' ? { chat: { ...hurriedTwitchPace.chat, silenceMs: 1500 } } : {},
      );
      await inChat(stage, streamer.twitchId);
      await ask(one.twitchId, '!progress');
      const joined = countJoins(stage);
      stage.world.faults.strike(fault);
      await until(joined, (joins) => joins >= 1);
      await inChat(stage, streamer.twitchId);
      await ask(other.twitchId, '!rewards');
      expect(said()).toHaveLength(2);
    });

  test('refreshes a token that the chat refuses, and stores the new one', async () => {
    const { stage, streamer, ours } = await setChat();
    stage.world.expireTokens(ours.id);
    await stage.startBot();
    await inChat(stage, streamer.twitchId);
    const account = await findChatAccount(stage.db, { vault: stage.vault, login: botLogin });
    expect(stage.world.tokens.findValid(account!.grant.accessToken)).not.toBeNull();
  });

  test('with an invalid grant waits for the operator, and reconnects with a new one', async () => {
    const { stage, streamer, ours, connect } = await setChat();
    stage.world.revokeAuthorization(ours.id);
    const bot = await stage.startBot();
    await until(
      () => bot.report().chat,
      (chat) => chat?.state === 'faulty' && chat.detail === 'the chat account has to be connected again',
    );
    await connect();
    await inChat(stage, streamer.twitchId);
  });
});

describe('Two processes with the same chat account', () => {
  test('answer once, and the second takes over when the first has stopped', async () => {
    const { stage, streamer, said, ask } = await setChat();
    const [viewer, other] = [await addTwitchPerson(stage), await addTwitchPerson(stage)];
    const joins = countJoins(stage);
    const first = await stage.startBot();
    await inChat(stage, streamer.twitchId);
    const second = await stage.startBot();
    await until(
      () => second.report().chat,
      (chat) => chat?.detail === 'another process answers in the chats',
    );
    await ask(viewer.twitchId, '!rewards');
    expect([said().length, joins()]).toEqual([1, 1]);

    await first.stop();
    await until(joins, (times) => times === 2);
    await until(
      () => second.report().chat?.detail,
      (detail) => detail === 'in 1 of 1 channels',
    );
    await ask(other.twitchId, '!progress');
    expect(said()).toHaveLength(2);
  });
});
