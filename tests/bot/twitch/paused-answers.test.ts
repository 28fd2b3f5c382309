// A process is paused around what it does to answer a chat command. Twitch brings the message to another one meanwhile, which
// reads the chat on the other carrier: over IRC and as an event a message has the same id. The paused one goes on as if
// nothing had happened, which is worse than a pause.
import { expect, onTestFinished, test } from 'vitest';
import { answerChat } from '#bot/commands/answer-chat.ts';
import type { ChatMessage } from '#bot/commands/chat-message.ts';
import type { Database } from '#db/database.ts';
import { second } from '#domain/kernel/time.ts';
import { holdOnce } from '#tests/support/held-once.ts';
import { skippableTime } from '#tests/support/passing-time.ts';
import { setCarriers, settled } from './chat-carriers-stage.ts';
import { messageOf, setChat } from './chat-stage.ts';
import { until } from './stage.ts';

const publicUrl = new URL('http://localhost:3000');
type Point = ReturnType<typeof holdOnce>;

/** The points around the outside call and what goes before it, where a process may be paused. */
const points = [
  'before a message is taken',
  'after a message is taken',
  'before a line is in the chat',
  'after a line is in the chat',
] as const;

/** Chat commands in processes that pause at one of the points, and the lines that are in the chat. */
async function setProcesses() {
  const { stage, streamer } = await setChat();
  const time = skippableTime();
  const chat: string[] = [];
  const startProcess = (point?: (typeof points)[number], held: Point = holdOnce()) => {
    const pauseAt = (here: typeof point) => (here === point ? held.wait() : undefined);
    const db: Database = {
      ...stage.deps.db,
      async transaction(decide, options) {
        await pauseAt('before a message is taken');
        const decided = await stage.deps.db.transaction(decide, options);
        await pauseAt('after a message is taken');
        return decided;
      },
    };
    const { answer, stop } = answerChat({ ...stage.deps, db, publicUrl });
    onTestFinished(stop);
    const outlet = {
      waitMs: () => 0,
      async say({ text }: { text: string }) {
        await pauseAt('before a line is in the chat');
        chat.push(text);
        await pauseAt('after a line is in the chat');
      },
    };
    return { held, take: (message: ChatMessage) => answer(message, outlet) };
  };
  let askers = 0;
  const ask = (): ChatMessage => {
    askers += 1;
    const asker = { twitchId: `77${askers}`, login: `demo_${askers}`, displayName: `Demo_${askers}` };
    return { ...messageOf(streamer.twitchId, asker.twitchId), ...asker, text: '!progress' };
  };
  const answersTo = ({ displayName }: ChatMessage) =>
    chat.filter((text) => text.includes(`@${displayName} `)).length;
  return { time, startProcess, ask, answersTo };
}

test.each(points)('A process that is paused %s answers nobody twice', async (point) => {
  const { time, startProcess, ask, answersTo } = await setProcesses();
  for (const pauseS of [5, 45, 90, 200, 600]) {
    const [one, two] = [startProcess(point), startProcess()];
    const message = ask();
    const taking = one.take(message);
    await one.held.isReached;
    await two.take(message);
    time.skip(pauseS * second);
    // Twitch may bring it again, however late.
    await two.take(message);
    one.held.release();
    await taking;
    await startProcess().take(message);
    expect(answersTo(message)).toBe(1);
  }
});

test('Two processes that are paused crosswise, each with a message that both got, answer nobody twice', async () => {
  const { time, startProcess, ask, answersTo } = await setProcesses();
  for (const first of points)
    for (const other of points) {
      const [one, two] = [startProcess(first), startProcess(other)];
      const [ours, theirs] = [ask(), ask()];
      const taking = [one.take(ours), two.take(theirs)];
      await Promise.all([one.held.isReached, two.held.isReached]);
      time.skip(45 * second);
      taking.push(one.take(theirs), two.take(ours));
      one.held.release();
      time.skip(200 * second);
      two.held.release();
      await Promise.all(taking);
      const third = startProcess();
      for (const message of [ours, theirs]) await third.take(message);
      // Two questions that one process has within the pause of a command wait for its next line.
      for (const message of [ours, theirs]) expect(answersTo(message)).toBeLessThanOrEqual(1);
      expect(answersTo(ours) + answersTo(theirs)).toBeGreaterThanOrEqual(1);
    }
});

test.each([
  ['over IRC', 3],
  ['as an event', 0],
])('A message that comes %s has the id that it has on Twitch', async (_, maxChats) => {
  const carriers = await setCarriers({ maxChats });
  const room = carriers.addRoom();
  carriers.setRooms([room]);
  await settled(carriers.chats, 'in 1 of 1 channels');
  const viewer = carriers.world.addUser({ login: 'demo_asker' });
  await until(
    () => {
      carriers.world.say(room.channelId, viewer.id, '!progress');
      return carriers.received.length > 0;
    },
    (is) => is,
  );
  const onTwitch = carriers.world.chatLog(room.channelId).map(({ id }) => id);
  expect(onTwitch).toEqual(expect.arrayContaining(carriers.received.map(({ id }) => id)));
});
