import { readBoundedText } from '#app/services/sign-in/bounded-answer.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';

/** The reasons why an answer from Steam's sign-in is rejected. */
export type SteamSignInCode =
  | 'notStartedHere'
  | 'cancelled'
  | 'forged'
  | 'stale'
  | 'replayed'
  | 'unavailable';

const namespace = 'http://specs.openid.net/auth/2.0';
const selectIdentity = `${namespace}/identifier_select`;
/** Steam's OpenID endpoint, as it calls itself; never taken from the answer. */
const provider = 'https://steamcommunity.com/openid/login';
const claimedId = /^https:\/\/steamcommunity\.com\/openid\/id\/(7656119\d{10})$/;
const deadlineMs = 10_000;
const freshMs = 5 * 60_000;

const signedFields = ['op_endpoint', 'claimed_id', 'identity', 'return_to', 'response_nonce', 'assoc_handle'];
const knownFields = new Set(['ns', 'mode', ...signedFields, 'signed', 'sig', 'invalidate_handle']);

/** The address that asks Steam who the user is; the answer goes to `returnTo`. */
export function steamSignInUrl(endpoint: URL, input: { realm: string; returnTo: string }): string {
  const url = new URL(endpoint);
  const fields = {
    ns: namespace,
    mode: 'checkid_setup',
    identity: selectIdentity,
    claimed_id: selectIdentity,
    realm: input.realm,
    return_to: input.returnTo,
  };
  for (const [name, value] of Object.entries(fields)) url.searchParams.set(`openid.${name}`, value);
  return url.href;
}

export interface SteamAnswerCheck {
  /** The address at which Steam confirms that an answer is its own. */
  endpoint: URL;
  /** The exact address that was issued to this session. */
  returnTo: string;
  /** System time, like the answer's own. */
  nowMs: number;
  /** Returns whether this nonce is used for the first time. */
  spendNonce: (nonce: string) => Promise<boolean>;
}

/**
 * Validates an answer of Steam's OpenID 2.0 against the published attacks: no field duplicated or unknown, every
 * field signed, the identity on Steam's own host, the address the one we issued, the nonce fresh and new. Finally
 * Steam itself, at the configured address, confirms the answer.
 */
export async function verifySteamAnswer(
  answer: URL,
  check: SteamAnswerCheck,
): Promise<Outcome<{ steamId: string }, SteamSignInCode>> {
  const fields = readFields(answer.searchParams);
  if (!fields || fields.get('ns') !== namespace) return refuse('forged');
  if (fields.get('mode') === 'cancel') return refuse('cancelled');
  if (fields.get('mode') !== 'id_res' || fields.get('op_endpoint') !== provider) return refuse('forged');
  const steamId = claimedId.exec(fields.get('claimed_id') ?? '')?.[1];
  if (!steamId || fields.get('identity') !== fields.get('claimed_id')) return refuse('forged');
  if (fields.get('return_to') !== check.returnTo || !answers(answer, check.returnTo))
    return refuse('notStartedHere');
  const signed = new Set((fields.get('signed') ?? '').split(','));
  if (!signedFields.every((name) => signed.has(name))) return refuse('forged');
  const nonce = fields.get('response_nonce') ?? '';
  if (!isFresh(nonce, check.nowMs)) return refuse('stale');
  if (!(await check.spendNonce(nonce))) return refuse('replayed');
  const refusal = await askSteam(fields, check.endpoint);
  return refusal ? refuse(refusal) : done({ steamId });
}

/** The openid.* fields by name; null if one is unknown, duplicated or has unprintable characters. */
function readFields(query: URLSearchParams): Map<string, string> | null {
  const fields = new Map<string, string>();
  for (const [key, value] of query) {
    if (!/^[\x20-\x7e]*$/.test(key + value)) return null;
    if (!key.toLowerCase().startsWith('openid')) continue;
    const name = key.slice('openid.'.length);
    if (!key.startsWith('openid.') || !knownFields.has(name) || fields.has(name)) return null;
    fields.set(name, value);
  }
  return fields;
}

/** OpenID 2.0, 11.1: the called address must be the signed one, including its query. */
function answers(answer: URL, returnTo: string): boolean {
  const expected = new URL(returnTo);
  if (answer.pathname !== expected.pathname) return false;
  const own = [...answer.searchParams].filter(([key]) => !key.startsWith('openid.'));
  return new URLSearchParams(own).toString() === expected.searchParams.toString();
}

function isFresh(nonce: string, nowMs: number): boolean {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ[\x21-\x7e]{1,235}$/.test(nonce)) return false;
  return Math.abs(nowMs - Date.parse(nonce.slice(0, 20))) < freshMs;
}

/** Asks Steam to confirm the answer; null if it does. Steam requires its own site as the origin. */
async function askSteam(
  fields: ReadonlyMap<string, string>,
  endpoint: URL,
): Promise<'forged' | 'unavailable' | null> {
  const body = new URLSearchParams([...fields].map(([name, value]) => [`openid.${name}`, value]));
  body.set('openid.mode', 'check_authentication');
  const headers = { Origin: 'https://steamcommunity.com', Referer: 'https://steamcommunity.com/' };
  const signal = AbortSignal.timeout(deadlineMs);
  try {
    const response = await fetch(endpoint, { method: 'POST', body, redirect: 'error', headers, signal });
    const text = await readBoundedText(response);
    if (response.status !== 200 || text === null) return 'unavailable';
    const lines = text.split('\n').map((line) => line.trim());
    return lines.includes('is_valid:true') ? null : 'forged';
  } catch {
    return 'unavailable';
  }
}
