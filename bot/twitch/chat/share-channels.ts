import { MAX_IRC_CHATS } from '#domain/chat/count-chats.ts';

/** A chat account that channels can be assigned to. */
export interface ChatSlot {
  login: string;
  isModerator(channelId: string): boolean;
}

/**
 * Assigns channels to chat accounts by their ids, in the given order. A channel keeps its account as long as there is room;
 * channels without room are left out.
 */
export function shareChannels(
  channelIds: readonly string[],
  slots: readonly ChatSlot[],
  before: ReadonlyMap<string, string> = new Map(),
  maxChats = MAX_IRC_CHATS,
): Map<string, string> {
  const room = new Map(slots.map(({ login }) => [login, maxChats]));
  const roomOf = (slot: ChatSlot) => room.get(slot.login) ?? 0;
  const shared = new Map<string, string>();
  for (const channel of channelIds) {
    const fitting = slots.filter((slot) => roomOf(slot) > 0 || slot.isModerator(channel));
    const slot =
      fitting.find(({ login }) => login === before.get(channel)) ??
      fitting.find((each) => each.isModerator(channel)) ??
      fitting.sort((one, other) => roomOf(other) - roomOf(one))[0];
    if (!slot) continue;
    shared.set(channel, slot.login);
    if (!slot.isModerator(channel)) room.set(slot.login, roomOf(slot) - 1);
  }
  return shared;
}
