import { LeaseLapsed } from '#bot/call-in-time.ts';
import { twitchErrors } from '#bot/metrics.ts';

/** The time for a retry: never, later, or after a person has acted. */
export type Retry = 'never' | 'later' | 'afterHuman';

const retries = {
  /** The user revoked the grant or unlinked the account. */
  grantDead: 'afterHuman',
  /** The grant is valid but lacks the permission. */
  permissionMissing: 'afterHuman',
  /** Twitch refused a call that the grant should allow; the grant is examined next. */
  accessRefused: 'later',
  /** Twitch rejects our client id or secret. The operator has to fix it; no grant is at fault. */
  applicationRefused: 'afterHuman',
  /** Only Twitch affiliates and partners have this; no grant changes that. */
  notAffiliate: 'afterHuman',
  rateLimited: 'later',
  unavailable: 'later',
  /** The call was aborted, or not begun, because another process may have its part by now. */
  leaseEnded: 'later',
  refused: 'never',
} as const satisfies Record<string, Retry>;

export type TwitchFaultCode = keyof typeof retries;

// Prometheus sees no increase in a count that begins with the first fault.
for (const code of Object.keys(retries)) twitchErrors.inc({ code }, 0);

/** The reason why a Twitch call failed. Message and cause are for the log only. */
export class TwitchFault extends Error {
  readonly code: TwitchFaultCode;
  readonly retry: Retry;
  constructor(code: TwitchFaultCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
    this.retry = retries[code];
    twitchErrors.inc({ code });
  }
}

/**
 * Converts an error of a Twitch call into a fault. Neither a 401 nor a 403 proves that a permission is
 * missing: scopes are checked before each call, a dead grant is detected when it is refreshed, and both
 * answers also come by mistake (sogehige/sogeBot issue 4674).
 */
export function twitchFaultOf(error: unknown): TwitchFault {
  if (error instanceof TwitchFault) return error;
  if (error instanceof LeaseLapsed) return new TwitchFault('leaseEnded', error.message);
  const { statusCode, message } = error as { statusCode?: number; message?: string };
  const text = (message ?? String(error)).split('\n', 1)[0] ?? '';
  if (statusCode === undefined) return new TwitchFault('unavailable', text, error);
  if (statusCode === 401 || statusCode === 403) return new TwitchFault('accessRefused', text, error);
  if (statusCode === 429) return new TwitchFault('rateLimited', text, error);
  if (statusCode >= 500) return new TwitchFault('unavailable', text, error);
  return new TwitchFault('refused', text, error);
}

/** Returns the endpoint of a fault's call, without its query; null if Twitch was not reached. */
export function endpointOf({ cause }: TwitchFault): string | null {
  const { url } = (cause ?? {}) as { url?: string };
  return url?.split('?', 1)[0] ?? null;
}

/** Fails a call after this time; it counts as unanswered, whatever happens to it later. System time. */
export async function withDeadline<T>(deadlineMs: number, call: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TwitchFault('unavailable', 'no answer in time')), deadlineMs);
  });
  try {
    return await Promise.race([call, late]);
  } finally {
    clearTimeout(timer);
  }
}
