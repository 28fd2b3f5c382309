import { type RequestFault, RequestFaults } from '#sandbox/request-faults.ts';

export const webhookFaults = ['duplicate', 'late', 'lost'] as const;

/** The fate of coming webhooks: sent twice, after the one that follows, or never. */
export type WebhookFault = (typeof webhookFaults)[number];

/** Faults on demand. Not saved: a fault is an action, not part of the world's state. */
export class StripeFaults {
  readonly #requests = new RequestFaults();
  readonly #webhooks: Record<WebhookFault, number> = { duplicate: 0, late: 0, lost: 0 };
  #isHolding = false;
  #isReversed = false;
  readonly #onChange: () => void;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  failNext(fault: RequestFault): void {
    this.#requests.add(fault);
  }

  takeRequestFault(method: string, path: string): Required<RequestFault> | null {
    return this.#requests.take(method, path);
  }

  spoilNextWebhooks(fault: WebhookFault, count = 1): void {
    this.#webhooks[fault] += count;
  }

  takeWebhookFault(fault: WebhookFault): boolean {
    if (this.#webhooks[fault] === 0) return false;
    this.#webhooks[fault] -= 1;
    return true;
  }

  get isHolding(): boolean {
    return this.#isHolding;
  }

  /** Webhooks that were held are sent the newest first, one after the other. */
  get isReversed(): boolean {
    return this.#isReversed;
  }

  /** Sends no webhooks until they are released. */
  holdWebhooks(): void {
    this.#isHolding = true;
    this.#onChange();
  }

  releaseWebhooks(isReversed = false): void {
    this.#isHolding = false;
    this.#isReversed = isReversed;
    this.#onChange();
  }

  /** Ends the reversed order: everything held back has been sent. */
  endReversal(): void {
    this.#isReversed = false;
  }

  /** Faults that have not taken effect yet. */
  pending() {
    return {
      requests: this.#requests.pending(),
      webhooks: { ...this.#webhooks },
      isHolding: this.#isHolding,
    };
  }

  clear(): void {
    this.#requests.clear();
    for (const fault of webhookFaults) this.#webhooks[fault] = 0;
    this.releaseWebhooks();
  }
}
