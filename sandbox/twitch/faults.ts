import { type RequestFault, RequestFaults } from '#sandbox/request-faults.ts';

export const socketFaults = [
  'ircKill',
  'ircReconnect',
  'ircHalfOpen',
  'eventSubReconnect',
  'eventSubDrop',
  'eventSubHalfOpen',
  'eventSubDropShard',
  'eventSubDeleteConduits',
] as const;

/** A fault of all sockets that are open now. */
export type SocketFault = (typeof socketFaults)[number];

/** Faults on demand. Not saved: a fault is an action, not part of the world's state. */
export class Faults {
  readonly #requests = new RequestFaults();
  #duplicateEvents = 0;
  #lateEvents = 0;
  #lostEvents = 0;
  #listeners = new Set<(fault: SocketFault) => void>();

  /** Makes the next `times` matching requests fail as described. */
  failNext(fault: RequestFault): void {
    this.#requests.add(fault);
  }

  /** Sends the next `count` EventSub notifications twice, with the same message id. */
  duplicateNextEvent(count = 1): void {
    this.#duplicateEvents += count;
  }

  /** Sends the next `count` EventSub notifications after the one that follows them, with their original times. */
  delayNextEvent(count = 1): void {
    this.#lateEvents += count;
  }

  /** Never sends the next `count` EventSub notifications. */
  loseNextEvent(count = 1): void {
    this.#lostEvents += count;
  }

  /** Applies to every open socket of its kind. */
  strike(fault: SocketFault): void {
    for (const listener of this.#listeners) listener(fault);
  }

  /** Faults that have not taken effect yet. */
  pending(): {
    requests: readonly RequestFault[];
    duplicateEvents: number;
    lateEvents: number;
    lostEvents: number;
  } {
    return {
      requests: this.#requests.pending(),
      duplicateEvents: this.#duplicateEvents,
      lateEvents: this.#lateEvents,
      lostEvents: this.#lostEvents,
    };
  }

  clear(): void {
    this.#requests.clear();
    this.#duplicateEvents = 0;
    this.#lateEvents = 0;
    this.#lostEvents = 0;
  }

  /** Takes the first fault that matches a request; called once per request. */
  takeRequestFault(method: string, path: string): Required<RequestFault> | null {
    return this.#requests.take(method, path);
  }

  takeDuplicateEvent(): boolean {
    if (this.#duplicateEvents === 0) return false;
    this.#duplicateEvents -= 1;
    return true;
  }

  takeLostEvent(): boolean {
    if (this.#lostEvents === 0) return false;
    this.#lostEvents -= 1;
    return true;
  }

  takeLateEvent(): boolean {
    if (this.#lateEvents === 0) return false;
    this.#lateEvents -= 1;
    return true;
  }

  onSocketFault(listener: (fault: SocketFault) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
