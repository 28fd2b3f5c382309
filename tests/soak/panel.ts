const DEADLINE_MS = 15_000;
/** Nobody is credited for an interval in which the world's clock leapt further than this. */
const MAX_COUNTED_MS = 150_000;

/** An offer as the control panel shows it. */
export interface ShownOffer {
  id: string;
  from: string;
  to: string;
  state: number;
  give: { key: string }[];
  receive: { key: string }[];
}

export interface ShownTrade {
  id: string;
  status: number;
  settlesAt: number;
  rollbackOf: string | null;
}

/** The sandbox's control panel, through which people act on Twitch and Steam. A refusal by the platform is null. */
export class WorldPanel {
  readonly #url: string;
  /** Milliseconds by which the world's clock is ahead; only this program advances it. */
  #offsetMs = 0;
  #leaptMs = 0;

  constructor(url: string) {
    this.#url = url;
  }

  nowMs = (): number => Date.now() + this.#offsetMs;

  /** World time without leaps. */
  countedMs = (): number => this.nowMs() - this.#leaptMs;

  async advance(ms: number): Promise<void> {
    await this.act('/clock/advance', { ms });
    this.#offsetMs += ms;
    if (ms > MAX_COUNTED_MS) this.#leaptMs += ms;
  }

  get<T>(path: string): Promise<T> {
    return this.#ask<T>(path, {}) as Promise<T>;
  }

  act<T = unknown>(path: string, fields: object = {}): Promise<T | null> {
    return this.#ask<T>(path, {
      method: 'POST',
      body: JSON.stringify(fields),
      headers: { 'content-type': 'application/json' },
    });
  }

  async #ask<T>(path: string, request: RequestInit): Promise<T | null> {
    const response = await fetch(new URL(path, this.#url), {
      ...request,
      headers: { accept: 'application/json', ...request.headers },
      signal: AbortSignal.timeout(DEADLINE_MS),
    });
    const text = await response.text();
    if (response.ok) return JSON.parse(text) as T;
    if (response.status === 409 || response.status === 404) return null;
    throw new Error(`the panel answered ${response.status} to ${path}: ${text.slice(0, 200)}`);
  }
}
