/** When it makes sense to ask again: never in this form, later, or after a person has done something about it. */
export type Retry = 'never' | 'later' | 'afterHuman';

const retries = {
  /** The person took the grant back, or it is not linked any more. */
  grantDead: 'afterHuman',
  /** The grant lives, but does not permit what was asked. */
  permissionMissing: 'afterHuman',
  /** Twitch does not know our client id or secret: the operator's to mend, nobody's grant is at fault. */
  applicationRefused: 'afterHuman',
  /** Only affiliates and partners of Twitch have what was asked for; no grant changes that. */
  notAffiliate: 'afterHuman',
  rateLimited: 'later',
  unavailable: 'later',
  refused: 'never',
} as const satisfies Record<string, Retry>;

export type TwitchFaultCode = keyof typeof retries;

/** Why Twitch did not do what it was asked. The message and the cause are for the log alone. */
export class TwitchFault extends Error {
  readonly code: TwitchFaultCode;
  readonly retry: Retry;
  constructor(code: TwitchFaultCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
    this.retry = retries[code];
  }
}

/**
 * Folds whatever a call of Twitch threw into a fault. A 401 that outlives a fresh token is Twitch's own trouble,
 * because scopes are checked before each call and a dead grant is found out by refreshing it.
 */
export function twitchFaultOf(error: unknown): TwitchFault {
  if (error instanceof TwitchFault) return error;
  const { statusCode, message } = error as { statusCode?: number; message?: string };
  const text = (message ?? String(error)).split('\n', 1)[0] ?? '';
  if (statusCode === undefined) return new TwitchFault('unavailable', text, error);
  if (statusCode === 403) return new TwitchFault('permissionMissing', text, error);
  if (statusCode === 429) return new TwitchFault('rateLimited', text, error);
  if (statusCode === 401 || statusCode >= 500) return new TwitchFault('unavailable', text, error);
  return new TwitchFault('refused', text, error);
}

/** Gives a call that long; afterwards it counts as unanswered, whatever becomes of it. System time. */
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
