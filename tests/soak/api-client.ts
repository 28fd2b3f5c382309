import { setTimeout as delay } from 'node:timers/promises';
import { newId } from '#domain/kernel/id.ts';
import type { Person } from './people.ts';

const DEADLINE_MS = 45_000;
const AGAIN_MS = 700;
const MAX_ATTEMPTS = 60;

/** Tells whether an answer, by its status and code, is that of an instance that is partly away, and to be asked for again. */
export type IsOutage = (status: number, code: string | null) => boolean;

/** The product's API as an app calls it: a request without an answer is repeated with the same key. */
export class ApiClient {
  readonly #url: string;
  /** Aborted once nobody waits for an answer any more. */
  readonly #over: AbortSignal;
  readonly #isOutage: IsOutage;
  /** Answers with status 500. */
  readonly failures: string[] = [];
  repeated = 0;

  /** Requests that were answered as done, with the ids of what the answer is about. */
  readonly done: { method: string; path: string; ids: string[] }[] = [];

  constructor(url: string, over: AbortSignal, isOutage: IsOutage = () => false) {
    this.#url = url;
    this.#over = over;
    this.#isOutage = isOutage;
  }

  /** The code of a refusal, or null when it was done. */
  async ask(person: Person, method: 'POST' | 'DELETE', path: string, body?: object): Promise<string | null> {
    const key = newId(Date.now());
    for (let attempts = 1; attempts <= MAX_ATTEMPTS && !this.#over.aborted; attempts++) {
      const answer = await this.#once(person, method, path, body, key);
      if (answer !== 'lost') return answer;
      if (this.#over.aborted) break;
      this.repeated += 1;
      await delay(AGAIN_MS, undefined, { signal: this.#over }).catch(() => {});
    }
    return 'neverAnswered';
  }

  async #once(
    person: Person,
    method: string,
    path: string,
    body: object | undefined,
    key: string,
  ): Promise<string | null> {
    try {
      const response = await fetch(new URL(`/api/v1${path}`, this.#url), {
        method,
        headers: {
          authorization: `Bearer ${person.token}`,
          accept: 'application/json',
          'idempotency-key': key,
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.any([AbortSignal.timeout(DEADLINE_MS), this.#over]),
      });
      const text = await response.text();
      if (this.#isOutage(response.status, codeOf(text))) return 'lost';
      if (response.ok) {
        this.done.push({ method, path, ids: idsIn(text) });
        return null;
      }
      if (response.status === 500) this.failures.push(`${method} ${path} answered ${text.slice(0, 300)}`);
      return codeOf(text) ?? String(response.status);
    } catch {
      return 'lost';
    }
  }
}

function idsIn(text: string): string[] {
  if (text === '') return [];
  const { data } = JSON.parse(text) as { data?: { id: string } | { id: string }[] | null };
  return [data ?? []].flat().map(({ id }) => id);
}

function codeOf(text: string): string | null {
  try {
    const { errors } = JSON.parse(text) as { errors?: { code?: string }[] };
    return errors?.[0]?.code ?? null;
  } catch {
    return null;
  }
}
