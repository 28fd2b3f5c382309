import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { onTestFinished } from 'vitest';
import { answerChat } from '#bot/commands/answer-chat.ts';
import type { ChatMessage } from '#bot/commands/chat-message.ts';
import { channels } from '#db/schema/channel.ts';
import type { Locale } from '#db/schema/user.ts';
import { connectChatAccount } from '#domain/account/twitch/connect-chat-account.ts';
import { addBot, addRule } from '#tests/support/fixtures.ts';
import { addTwitchPerson, botLogin, grantOf, type Stage, setStage, until } from './stage.ts';

/** A line as people read it: one that came too soon for the chat is sent again with a mark that nobody sees. */
export const readText = (text: string): string => text.replace(/ \u034f$/, '');

export const chatScopes = ['chat:read', 'chat:edit'];

/** A streamer with a rule on ten hours and two days with one reward, and our account connected to Twitch's chat. */
export async function setChat(facts: { locale?: Locale; connected?: boolean } = {}) {
  const stage = await setStage();
  await addBot(stage.db);
  const streamer = await addTwitchPerson(stage, { streams: true, locale: facts.locale ?? 'en' });
  await addRule(stage.db, streamer, {
    name: 'Ten hours',
    watchMinutes: 600,
    followDays: 2,
    watchScope: 'allTime',
    rewards: 1,
  });
  const ours = stage.world.addUser({ login: botLogin });
  const said = () =>
    stage.world
      .chatLog(streamer.twitchId)
      .filter((line) => line.userId === ours.id)
      .map((line) => readText(line.text));
  const connect = (scopes = chatScopes) =>
    connectChatAccount(stage.db, {
      vault: stage.vault,
      twitchId: ours.id,
      login: ours.login,
      grant: grantOf(stage, ours.id, scopes),
    });
  const ask = async (twitchId: string, text: string) => {
    const before = said().length;
    stage.world.say(streamer.twitchId, twitchId, text);
    await until(said, (lines) => lines.length > before);
    return said().at(-1);
  };
  if (facts.connected !== false) await connect();
  return { stage, streamer, ours, said, connect, ask };
}

export const inChat = (stage: Stage, channelId: string) =>
  until(
    () => stage.world.chattersOf(channelId).map((user) => user.login),
    (logins) => logins.includes(botLogin),
  );

/** Counts our account's joins from now on. */
export function countJoins(stage: Stage) {
  let joins = 0;
  const join = stage.world.ircJoined.bind(stage.world);
  stage.world.ircJoined = (broadcasterId, userId) => {
    joins += 1;
    join(broadcasterId, userId);
  };
  return () => joins;
}

export const messageOf = (channelId: string, twitchId: string) => ({
  id: randomUUID(),
  channelId,
  channelLogin: '',
  twitchId,
  login: 'demo',
  displayName: 'Demo',
  sentAtMs: Date.now(),
});

/** Calls the command directly, with a given channel language. */
export async function askDirectly(
  stage: Stage,
  channelId: string,
  twitchId: string,
  text: string,
  locale: Locale,
) {
  await stage.db.transaction(async (tx) => {
    await tx.update(channels).set({ chatLocale: locale }).where(eq(channels.id, channelId));
  });
  return commandsOf(stage)({ ...messageOf(channelId, twitchId), text });
}

/** The commands of one process: returns the line said at once, or null. */
export function commandsOf(stage: Stage) {
  const { answer, stop } = answerChat({ ...stage.deps, publicUrl: new URL('http://localhost:3000') });
  onTestFinished(stop);
  return async (message: ChatMessage): Promise<string | null> => {
    const said: string[] = [];
    await answer(message, { waitMs: () => 0, say: async ({ text }) => void said.push(text) });
    return said[0] ?? null;
  };
}
