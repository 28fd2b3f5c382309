import type { WorldEvent } from './world-state.ts';

/**
 * A person's role in a chat. A lead moderator may do everything that moderators may, but only the badge shows
 * it: lines over IRC have no `mod=1` then (discuss.dev.twitch.com/t/64488, Chatterino/chatterino2 pull 6642).
 */
export type ModeratorRole = 'moderator' | 'lead_moderator';

interface Saved {
  moderators: Record<string, string[]>;
  leadModerators: Record<string, string[]>;
}

/** The moderators of each chat. */
export class Moderators {
  readonly #roles = new Map<string, Map<string, ModeratorRole>>();

  readonly #changed: (event: WorldEvent) => void;

  constructor(saved: Saved, changed: (event: WorldEvent) => void) {
    this.#changed = changed;
    this.#restore(saved.moderators, 'moderator');
    this.#restore(saved.leadModerators, 'lead_moderator');
  }

  #restore(saved: Record<string, string[]>, role: ModeratorRole): void {
    for (const [broadcasterId, userIds] of Object.entries(saved))
      for (const userId of userIds) this.#set(broadcasterId, userId, role);
  }

  toJSON(): Saved {
    const saved: Saved = { moderators: {}, leadModerators: {} };
    for (const [broadcasterId, roles] of this.#roles)
      for (const [userId, role] of roles) {
        const byChannel = role === 'moderator' ? saved.moderators : saved.leadModerators;
        byChannel[broadcasterId] = [...(byChannel[broadcasterId] ?? []), userId];
      }
    return saved;
  }

  add(broadcasterId: string, userId: string, role: ModeratorRole): void {
    this.#set(broadcasterId, userId, role);
    this.#changed({ type: 'moderatorsChanged', broadcasterId, userId });
  }

  #set(broadcasterId: string, userId: string, role: ModeratorRole): void {
    const roles = this.#roles.get(broadcasterId) ?? new Map<string, ModeratorRole>();
    this.#roles.set(broadcasterId, roles.set(userId, role));
  }

  remove(broadcasterId: string, userId: string): void {
    if (this.#roles.get(broadcasterId)?.delete(userId))
      this.#changed({ type: 'moderatorsChanged', broadcasterId, userId });
  }

  roleOf(broadcasterId: string, userId: string): ModeratorRole | null {
    return this.#roles.get(broadcasterId)?.get(userId) ?? null;
  }
}
