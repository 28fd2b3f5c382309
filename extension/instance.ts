import {
  type Answered,
  type Fields,
  type OwnOffers,
  reading,
  readOwnOffers,
  readWith,
  type Silence,
} from './answers.ts';
import { forgetSignIn, type SignIn, savedSignIn, saveSignIn } from './saved.ts';

const PATIENCE_MS = 5_000;

type Json = { status: number; document: unknown } | { status: 0; why: Silence };

/** Makes one call, which nothing on the way may have stored. */
async function call(
  { instance, token }: { instance: string; token: string | null },
  path: string,
  body?: object,
): Promise<Json> {
  const headers: Record<string, string> = { Accept: 'application/vnd.api+json' };
  if (token !== null) headers.Authorization = `Bearer ${token}`;
  if (body) headers['Content-Type'] = 'application/json';
  try {
    const response = await fetch(`${instance}${path}`, {
      method: body ? 'POST' : 'GET',
      headers,
      ...(body && { body: JSON.stringify(body) }),
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    return { status: response.status, document: await response.json() };
  } catch (error) {
    const name = error instanceof Error ? error.name : '';
    if (name === 'SyntaxError') return { status: 0, why: 'odd' };
    return { status: 0, why: name === 'TimeoutError' ? 'slow' : 'unreachable' };
  }
}

const silenceOf: Record<number, Silence> = { 401: 'revoked', 403: 'unverified', 429: 'busy', 503: 'busy' };

/** Reads something of the signed-in person's. */
async function ask<T>(path: string, read: (document: unknown) => T | null): Promise<Answered<T>> {
  const signIn = await savedSignIn();
  if (!signIn) return { ok: false, why: 'signedOut' };
  const answer = await call(signIn, path);
  if (answer.status === 0 && 'why' in answer) return { ok: false, why: answer.why };
  if (answer.status !== 200 || !('document' in answer))
    return { ok: false, why: silenceOf[answer.status] ?? 'odd' };
  const value = read(answer.document);
  return value === null ? { ok: false, why: 'odd' } : { ok: true, value };
}

/** The offers that wait on Steam, as the instance knows them at this moment. */
export const askOffers = (): Promise<Answered<OwnOffers>> => ask('/api/v1/open-offers', readOwnOffers);

/** The login of the channel that a row belongs to, from what the answer includes; empty if it names none. */
function loginOf({ relationships }: Fields, included: unknown): string {
  const { id } = reading.fields(reading.fields(reading.fields(relationships).channel).data);
  const isChannel = (each: Fields) => each.type === 'channels' && each.id === id;
  const channel = reading.list(included).map(reading.fields).find(isChannel);
  return channel ? reading.text(reading.fields(channel.attributes).login) : '';
}

/** Reads each row of an answer whose rows belong to channels. */
const askRows = <T extends object>(path: string, read: (attributes: Fields) => T) =>
  ask(`/api/v1/${path}include=channel&page[size]=100`, (document) =>
    readWith(document, ({ data, included = [] }) =>
      reading
        .list(data)
        .map(reading.fields)
        .map((row) => ({ ...read(reading.fields(row.attributes)), login: loginOf(row, included) })),
    ),
  );

export interface ReadyReward {
  login: string;
  itemName: string;
  ruleName: string;
  claimUntil: string;
}

/** The rewards that can be claimed now. */
export const askReady = (): Promise<Answered<ReadyReward[]>> =>
  askRows('rewards?filter[state]=promised&', (reward) => ({
    itemName: reading.text(reading.fields(reward.item).name),
    ruleName: reading.text(reward.rule_name),
    claimUntil: reading.date(reward.claim_until),
  }));

/** Progress under one rule of a channel. */
export interface ChannelProgress {
  login: string;
  ruleName: string;
  isMet: boolean;
  /** Null if the rule asks for no watch time. */
  watch: { haveSeconds: number; needSeconds: number } | null;
  /** The last look at a live chat, in the API's word; null if there is none. */
  inChat: string | null;
}

/** Progress under all rules, closest to being met first. */
export const askProgress = (): Promise<Answered<ChannelProgress[]>> =>
  askRows('reward-progress?', (rule) => ({
    ruleName: reading.text(rule.rule_name),
    isMet: rule.met === true,
    watch: reading.orNull(rule.watch, (watch) => ({
      haveSeconds: reading.number(reading.fields(watch).have_seconds),
      needSeconds: reading.number(reading.fields(watch).need_seconds),
    })),
    inChat: reading.orNull(rule.in_chat ?? null, (chat) => reading.text(reading.fields(chat).is)),
  }));

/** The address that somebody typed, as an origin; null if nothing can be called there. */
export function instanceOf(typed: string): string | null {
  try {
    const { protocol, origin, hostname } = new URL(/^https?:/.test(typed) ? typed : `https://${typed}`);
    const isHere = hostname === 'localhost' || hostname === '127.0.0.1';
    return protocol === 'https:' || isHere ? origin : null;
  } catch {
    return null;
  }
}

const errorOf = (document: unknown): string =>
  readWith(document, ({ errors }) => reading.text(reading.fields(reading.list(errors)[0]).detail)) ?? '';

/** Exchanges a code of the instance's page for a token; the refusal is the instance's own sentence, or empty. */
export async function signIn(
  instance: string,
  code: string,
  device: string,
): Promise<{ ok: true; signIn: SignIn } | { ok: false; detail: string; why: Silence | null }> {
  const answer = await call({ instance, token: null }, '/api/v1/extension/token', { code, device });
  if ('why' in answer) return { ok: false, detail: '', why: answer.why };
  if (answer.status !== 201)
    return { ok: false, detail: errorOf(answer.document), why: silenceOf[answer.status] ?? null };
  const token = readWith(answer.document, ({ data }) =>
    reading.text(reading.fields(reading.fields(data).attributes).token),
  );
  if (token === null) return { ok: false, detail: '', why: 'odd' };
  const user = await call({ instance, token }, '/api/v1/users');
  const name =
    'document' in user
      ? readWith(user.document, ({ data }) =>
          reading.text(reading.fields(reading.fields(data).attributes).name),
        )
      : null;
  const signed = { instance, token, name: name ?? '' };
  await saveSignIn(signed);
  return { ok: true, signIn: signed };
}

/** Revokes the token, and forgets it even if the instance does not answer; false then, so that it can be revoked there. */
export async function signOut(): Promise<boolean> {
  const signed = await savedSignIn();
  await forgetSignIn();
  if (!signed) return true;
  const { status } = await call(signed, '/api/v1/logout', {});
  return status === 200 || status === 401;
}
