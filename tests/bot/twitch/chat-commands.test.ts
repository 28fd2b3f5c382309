import { describe, expect, test } from 'vitest';
import { setChatCommands, type WrittenCommands } from '#domain/channel/set-chat-commands.ts';
import { defaultCommands } from '#domain/chat/chat-commands.ts';
import { watchFor } from '#tests/support/watching.ts';
import { inChat, setChat } from './chat-stage.ts';
import { addTwitchPerson, type Stage } from './stage.ts';

describe('The commands of a channel', () => {
  const rename = (userId: string, stage: Stage, changed: Partial<WrittenCommands>) =>
    setChatCommands(stage.db, { userId, written: { ...defaultCommands, ...changed } }, stage.clock.now());

  test('have the names that its broadcaster gave them, from the next message on', async () => {
    const { stage, streamer, said, ask } = await setChat();
    const [one, other] = [await addTwitchPerson(stage), await addTwitchPerson(stage)];
    await stage.startBot();
    await inChat(stage, streamer.twitchId);
    expect(await ask(one.twitchId, '!watchtime')).toContain('you have watched 0 min');
    await rename(streamer.userId, stage, {
      watchTime: { name: 'часы', isOn: true },
      progress: { name: 'progress', isOn: false },
      claim: { name: 'watchtime', isOn: true },
    });
    stage.world.say(streamer.twitchId, one.twitchId, '!progress');
    stage.world.say(streamer.twitchId, one.twitchId, '!watchtimes');
    expect(await ask(other.twitchId, '!watchtime')).toContain('nothing is ready to claim');
    expect(await ask(other.twitchId, '!ЧАСЫ please')).toContain('you have watched 0 min');
    expect(said()).toHaveLength(3);
  });

  test('that several viewers ask at once are answered in one line', async () => {
    const { stage, streamer, said, ask } = await setChat();
    const people = await Promise.all([1, 2, 3].map(() => addTwitchPerson(stage)));
    const [first, second, third] = people;
    await watchFor(stage.db, streamer.twitchId, [
      [second?.twitchId ?? '', 6 * 60],
      [third?.twitchId ?? '', 12 * 60],
    ]);
    await stage.startBot();
    await inChat(stage, streamer.twitchId);
    await ask(first?.twitchId ?? '', '!watchtime');
    stage.world.say(streamer.twitchId, second?.twitchId ?? '', '!watchtime');
    expect(await ask(third?.twitchId ?? '', '!watchtime')).toBe(
      `@${second?.login} 6 min · @${third?.login} 12 min · Time counts while Twitch lists you in the chat. More: http://localhost:3000/rewardProgress`,
    );
    expect(said()).toHaveLength(2);
  });

  for (const [locale, lines] of [
    [
      'en',
      [
        ' “Ten hours”: 0 min of 10 h, not following (2 days needed) · @stranger sign in with Twitch first · More: http://localhost:3000/rewardProgress',
        ' nothing yet · @stranger sign in with Twitch first · Claim: http://localhost:3000/rewardProgress',
      ],
    ],
    [
      'ru',
      [
        ' «Ten hours»: 0 мин из 10 ч, канал не отслеживается (нужно 2 дня) · @stranger сначала войдите через Twitch · Подробнее: http://localhost:3000/rewardProgress',
        ' пока ничего · @stranger сначала войдите через Twitch · Получить: http://localhost:3000/rewardProgress',
      ],
    ],
  ] as const)
    test(`name each viewer in a shared line (${locale})`, async () => {
      const { stage, streamer, ask } = await setChat({ locale });
      const viewer = await addTwitchPerson(stage);
      const [stranger, first] = ['stranger', 'first'].map((login) => stage.world.addUser({ login }));
      await stage.startBot();
      await inChat(stage, streamer.twitchId);
      const answers = [];
      for (const command of ['!progress', '!claim']) {
        await ask(first?.id ?? '', command);
        stage.world.say(streamer.twitchId, viewer.twitchId, command);
        answers.push(await ask(stranger?.id ?? '', command));
      }
      expect(answers).toEqual(lines.map((line) => `@${viewer.login}${line}`));
    });
});
