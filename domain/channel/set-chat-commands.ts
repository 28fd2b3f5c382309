import { eq, sql } from 'drizzle-orm';
import type { Database, Reader } from '#db/database.ts';
import { type ChatCommand, type ChatCommandSetting, channels, chatCommands } from '#db/schema/channel.ts';
import { statement } from '#db/statement.ts';
import { findChannelOf } from '#domain/channel/find-channel.ts';
import {
  type ChatCommandSettings,
  commandsOf,
  defaultCommands,
  parseCommandName,
  sharedNames,
} from '#domain/chat/chat-commands.ts';
import { done, type Outcome, type Refusal, refuse } from '#domain/kernel/outcome.ts';
import { announce } from '#domain/outbox/announce.ts';

const readCommands = statement('chat_commands', (q) =>
  q
    .select({ changed: channels.chatCommands })
    .from(channels)
    .where(eq(channels.id, sql.placeholder('channelId'))),
);

/** Returns a channel's commands, those of a new channel if it is unknown. */
export async function getChatCommands(q: Reader, channelId: string): Promise<ChatCommandSettings> {
  const [channel] = await readCommands(q, { channelId });
  return commandsOf(channel?.changed ?? {});
}

/** Each command as its broadcaster wrote it. */
export type WrittenCommands = Record<ChatCommand, ChatCommandSetting>;
export type CommandRefusal = 'nameInvalid' | 'nameShared';

/**
 * Switches the commands of the broadcaster's chat on or off and renames them. A command that is off keeps its name,
 * and no two have the same; refused with the commands that are wrong.
 */
export async function setChatCommands(
  db: Database,
  { userId, written }: { userId: string; written: WrittenCommands },
  nowMs: number,
): Promise<
  Outcome<object, 'twitchNotLinked'> | (Refusal<CommandRefusal> & { commands: readonly ChatCommand[] })
> {
  const settings = {} as ChatCommandSettings;
  const invalid: ChatCommand[] = [];
  for (const command of chatCommands) {
    const name = parseCommandName(written[command].name);
    if (name === null) invalid.push(command);
    else settings[command] = { name, isOn: written[command].isOn };
  }
  if (invalid.length > 0) return { ...refuse('nameInvalid'), commands: invalid };
  const shared = sharedNames(settings);
  if (shared.length > 0) return { ...refuse('nameShared'), commands: shared };
  return db.transaction(async (tx) => {
    const channelId = await findChannelOf(tx, userId);
    if (!channelId) return refuse('twitchNotLinked');
    await tx
      .update(channels)
      .set({ chatCommands: changesIn(settings) })
      .where(eq(channels.id, channelId));
    await announce(tx, [{ userId, kind: 'channel.changed', subjectId: channelId }], nowMs);
    return done({});
  });
}

const changesIn = (settings: ChatCommandSettings): Partial<ChatCommandSettings> =>
  Object.fromEntries(
    chatCommands
      .filter((command) => {
        const { name, isOn } = defaultCommands[command];
        return settings[command].name !== name || settings[command].isOn !== isOn;
      })
      .map((command) => [command, settings[command]]),
  );
