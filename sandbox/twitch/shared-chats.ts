import { randomUUID } from 'node:crypto';
import type { ChatLine, LineOrigin } from './world-state.ts';

interface SharedChat {
  id: string;
  hostId: string;
  /** With the host. */
  broadcasterIds: readonly string[];
  startedAtMs: number;
}

/**
 * The chats that several channels share ("Stream Together"). What is written into one shows in all of them,
 * except lines for the source channel only. Never saved.
 */
export class SharedChats {
  readonly #sessions = new Map<string, SharedChat>();

  begin(hostId: string, guestIds: readonly string[], atMs: number): void {
    const session = {
      id: randomUUID(),
      hostId,
      broadcasterIds: [hostId, ...guestIds],
      startedAtMs: atMs,
    };
    for (const id of session.broadcasterIds) this.#sessions.set(id, session);
  }

  end(broadcasterId: string): void {
    for (const id of this.of(broadcasterId)?.broadcasterIds ?? []) this.#sessions.delete(id);
  }

  of(broadcasterId: string): SharedChat | null {
    return this.#sessions.get(broadcasterId) ?? null;
  }

  /** In a shared chat every line names its source, also in the room where it was written. */
  originOf(broadcasterId: string): LineOrigin {
    return this.of(broadcasterId) ? { sourceId: broadcasterId } : {};
  }

  /** The other rooms that show a line. */
  othersOf({ broadcasterId, sourceId, isSourceOnly }: ChatLine): string[] {
    const session = this.of(broadcasterId);
    if (!session || isSourceOnly || sourceId !== broadcasterId) return [];
    return session.broadcasterIds.filter((id) => id !== broadcasterId);
  }
}
