import { type ChatCommand, type ChatCommandSetting, chatCommands } from '#db/schema/channel.ts';

export type ChatCommandSettings = Record<ChatCommand, ChatCommandSetting>;

/** The names that commands have unless a broadcaster gives them others. */
export const defaultCommands: Readonly<ChatCommandSettings> = {
  rewards: { name: 'rewards', isOn: true },
  progress: { name: 'progress', isOn: true },
  watchTime: { name: 'watchtime', isOn: true },
  claim: { name: 'claim', isOn: true },
};

/** The name of the command by which a prepared raffle is started; only the broadcaster and moderators can call it. */
export const RAFFLE_COMMAND = 'raffle';

export const MAX_COMMAND_LENGTH = 25;
const commandName = new RegExp(`^[\\p{L}\\p{N}_-]{1,${MAX_COMMAND_LENGTH}}$`, 'u');

/** The name of a command as it is compared: people type it in capitals, and put marks on letters in two ways. */
export const commandNameOf = (typed: string): string => typed.normalize('NFC').toLowerCase();

/** Returns the name of a command as somebody wrote it, with or without its exclamation mark; null if it cannot be one. */
export function parseCommandName(written: string): string | null {
  const name = commandNameOf(written.trim().replace(/^!/, ''));
  return commandName.test(name) ? name : null;
}

/** All commands of a channel, given those that its broadcaster changed. */
export const commandsOf = (changed: Partial<ChatCommandSettings>): ChatCommandSettings => ({
  ...defaultCommands,
  ...changed,
});

/** Returns the command that viewers of a channel call by this name; null if there is none, or it is off. */
export function findCommand(settings: ChatCommandSettings, name: string): ChatCommand | null {
  return chatCommands.find((command) => settings[command].isOn && settings[command].name === name) ?? null;
}

/** Returns the commands whose name another of them has too. */
export const sharedNames = (settings: ChatCommandSettings): ChatCommand[] =>
  chatCommands.filter((command) =>
    chatCommands.some((other) => other !== command && settings[other].name === settings[command].name),
  );

/**
 * Commands that StreamElements answers from the start, by its own page of commands. Other bots begin with few
 * commands for viewers.
 */
const ofStreamElements: ReadonlySet<string> = new Set([
  ...['accountage', 'bet', 'chatstats', 'commands', 'contest', 'emotes', 'followage', 'givepoints'],
  ...['leaderboard', 'points', 'roulette', 'slots', 'tip', 'top', 'uptime', 'watchtime'],
]);

/** Returns the commands that StreamElements answers too, unless the streamer has switched its command off. */
export const answeredElsewhere = (settings: ChatCommandSettings): ChatCommand[] =>
  chatCommands.filter((command) => settings[command].isOn && ofStreamElements.has(settings[command].name));
