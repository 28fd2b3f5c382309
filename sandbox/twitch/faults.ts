/** What the next matching HTTP request gets: a status, or a closed socket, before or after its effect. */
export interface RequestFault {
  answer: number | 'drop';
  /** Beginning of the path, such as `/mock/chat/chatters` or `/auth/token`. Missing = any request. */
  path?: string;
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** true = the request does its work and only the answer is lost. Default false. */
  afterEffect?: boolean;
  /** How many matching requests it hits. Default 1. */
  times?: number;
}

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

/** Trouble that befalls the sockets that are open right now. */
export type SocketFault = (typeof socketFaults)[number];

/** Trouble on request. It is not kept over a restart: a fault is an act, not a state of the world. */
export class Faults {
  #requests: Required<RequestFault>[] = [];
  #duplicateEvents = 0;
  #lateEvents = 0;
  #listeners = new Set<(fault: SocketFault) => void>();

  /** The next matching request (or the next `times` of them) fails as described. */
  failNext(fault: RequestFault): void {
    this.#requests.push({
      answer: fault.answer,
      path: fault.path ?? '/',
      method: fault.method ?? ('' as Required<RequestFault>['method']),
      afterEffect: fault.afterEffect ?? false,
      times: fault.times ?? 1,
    });
  }

  /** The next `count` EventSub notifications are sent twice under one message id. */
  duplicateNextEvent(count = 1): void {
    this.#duplicateEvents += count;
  }

  /** The next `count` EventSub notifications come after the one that follows them, with their own times. */
  delayNextEvent(count = 1): void {
    this.#lateEvents += count;
  }

  /** Acts on every socket of its kind that is open now. */
  strike(fault: SocketFault): void {
    for (const listener of this.#listeners) listener(fault);
  }

  /** Faults that have been ordered and have not struck yet. */
  pending(): { requests: readonly RequestFault[]; duplicateEvents: number; lateEvents: number } {
    return {
      requests: this.#requests,
      duplicateEvents: this.#duplicateEvents,
      lateEvents: this.#lateEvents,
    };
  }

  clear(): void {
    this.#requests = [];
    this.#duplicateEvents = 0;
    this.#lateEvents = 0;
  }

  /** Takes the first fault that matches a request; called by the server once per request. */
  takeRequestFault(method: string, path: string): Required<RequestFault> | null {
    const fault = this.#requests.find((f) => path.startsWith(f.path) && (!f.method || f.method === method));
    if (!fault) return null;
    fault.times -= 1;
    if (fault.times <= 0) this.#requests = this.#requests.filter((other) => other !== fault);
    return fault;
  }

  takeDuplicateEvent(): boolean {
    if (this.#duplicateEvents === 0) return false;
    this.#duplicateEvents -= 1;
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
