/** The fate of the next matching HTTP request: a status or a closed socket, before or after its effect. */
export interface RequestFault {
  answer: number | 'drop';
  /** Prefix of the path, such as `/mock/chat/chatters` or `/v1/refunds`. Missing: any request. */
  path?: string;
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** true: the request takes effect and only the answer is lost. Default false. */
  afterEffect?: boolean;
  /** Number of matching requests that it affects. Default 1. */
  times?: number;
}

/** Faults of coming requests, in the order in which they were given. */
export class RequestFaults {
  #waiting: Required<RequestFault>[] = [];

  /** Makes the next `times` matching requests fail as described. */
  add(fault: RequestFault): void {
    this.#waiting.push({
      answer: fault.answer,
      path: fault.path ?? '/',
      method: fault.method ?? ('' as Required<RequestFault>['method']),
      afterEffect: fault.afterEffect ?? false,
      times: fault.times ?? 1,
    });
  }

  pending(): readonly RequestFault[] {
    return this.#waiting;
  }

  remove(fault: RequestFault): void {
    this.#waiting = this.#waiting.filter((waiting) => waiting !== fault);
  }

  clear(): void {
    this.#waiting = [];
  }

  /** Takes the first fault that matches a request; called once per request. */
  take(method: string, path: string): Required<RequestFault> | null {
    const fault = this.#waiting.find(
      (one) => path.startsWith(one.path) && (!one.method || one.method === method),
    );
    if (!fault) return null;
    fault.times -= 1;
    if (fault.times <= 0) this.#waiting = this.#waiting.filter((other) => other !== fault);
    return fault;
  }
}
