/** A server's answer; status 0 and a reason if there was none. */
export interface ServerAnswer {
  status: number;
  headers: Headers;
  text: string;
  /** The reason why there was no answer, as a code of Node (`ECONNREFUSED`, `CERT_HAS_EXPIRED`) or a text. */
  reason: string;
}

const DEADLINE_MS = 10_000;

/** Asks a server once, with a deadline and without following redirects. */
export async function askServer(
  url: string | URL,
  init: RequestInit = {},
  deadlineMs = DEADLINE_MS,
): Promise<ServerAnswer> {
  try {
    const signal = AbortSignal.timeout(deadlineMs);
    const response = await fetch(url, { redirect: 'manual', ...init, signal });
    return {
      status: response.status,
      headers: response.headers,
      text: await response.text(),
      reason: '',
    };
  } catch (error) {
    return { status: 0, headers: new Headers(), text: '', reason: reasonOf(error) };
  }
}

/** The code or message of an error: `fetch` keeps it in the cause. */
export function reasonOf(error: unknown): string {
  const { cause, code, message } = error as Error & { code?: unknown };
  if (cause) return reasonOf(cause);
  return typeof code === 'string' ? code : message;
}

/** A JSON body, or null. */
export function jsonIn({ text }: Pick<ServerAnswer, 'text'>): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
