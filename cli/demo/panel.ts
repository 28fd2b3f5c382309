const DEADLINE_MS = 15_000;

/** A summary of the sandbox world from the control panel. */
export interface World {
  nowMs: number;
  twitch: { users: { id: string; login: string; displayName: string; pictureUrl: string }[] };
  steam: { users: { steamId: string; name: string; isBot: boolean; tradeUrl: string; items: number }[] };
}

/** A client of the sandbox control panel. */
export class DemoPanel {
  readonly url: string;
  constructor(url: string) {
    this.url = url;
  }

  async get<T>(path: string): Promise<T> {
    return this.#ask<T>(path, {});
  }

  async post(path: string, fields: object): Promise<void> {
    await this.#ask(path, {
      method: 'POST',
      body: JSON.stringify(fields),
      headers: { 'content-type': 'application/json' },
    });
  }

  async #ask<T>(path: string, request: RequestInit): Promise<T> {
    const response = await fetch(new URL(path, this.url), {
      ...request,
      headers: { accept: 'application/json', ...request.headers },
      signal: AbortSignal.timeout(DEADLINE_MS),
    });
    const text = await response.text();
    if (!response.ok)
      throw new Error(`the panel answered ${response.status} to ${path}: ${text.slice(0, 200)}`);
    return (text ? JSON.parse(text) : null) as T;
  }
}
