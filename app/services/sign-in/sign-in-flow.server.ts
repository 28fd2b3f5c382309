import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { config } from '#app/config.server.ts';
import { freezePage } from '#app/middleware/guards.server.ts';
import { safePath } from '#app/services/sign-in/safe-redirect.server.ts';
import { sessionToken } from '#app/services/sign-in/session.server.ts';
import type { Account } from '#domain/account/get-account.ts';
import { hashOf } from '#domain/identity/access/secret-token.ts';

/** The pages, besides the profile, on which connecting an account can start, and where each returns to. */
const places = {
  viewer: '/dashboard?view=viewer',
  streamer: '/dashboard?view=streamer',
  channel: '/channel',
} as const;

const FlowSchema = z.object({
  /** The one purpose that the other site's answer may be used for. */
  purpose: z.enum(['enter', 'link', 'confirm', 'steam']),
  /**
   * True if the other site was asked to prompt even users who allowed all of it before: only then does its
   * answer prove anything.
   */
  asksAgain: z.boolean(),
  /** The page to go on with. */
  to: z.string(),
  /** True if it began in the companion app, whose users see the result on a page of its own. */
  isOfApp: z.boolean(),
  /** The hash of the session that began it; empty for a visitor. */
  session: z.string(),
});
/** A sign-in at Twitch or Steam under way. All of it is in the state that the other site returns, signed by us. */
export type SignInFlow = z.infer<typeof FlowSchema>;

/** Keeps the state, which is part of an address, short. */
const MAX_PAGE = 600;

const sign = (body: string): string =>
  createHmac('sha256', config().sessionSecret).update(`flow:${body}`).digest('base64url');

/** The state of a flow: no two are equal, and none can be made or changed elsewhere. */
export function sealFlow(flow: SignInFlow): string {
  const body = Buffer.from(JSON.stringify({ ...flow, nonce: randomBytes(18).toString('base64url') }));
  const written = body.toString('base64url');
  return `${written}.${sign(written)}`;
}

/** The flow of a state that we made; null for any other, such as one from before an upgrade. */
export function openFlow(state: string | null): SignInFlow | null {
  const [body = '', signature = ''] = state?.split('.') ?? [];
  const [given, expected] = [Buffer.from(signature), Buffer.from(sign(body))];
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
  return FlowSchema.safeParse(JSON.parse(Buffer.from(body, 'base64url').toString())).data ?? null;
}

/** The session of a signed-in request, as a flow names it; empty for a visitor. */
const sessionIn = async (request: Request, account: Account | null): Promise<string> =>
  account ? hashOf((await sessionToken(request)) ?? '') : '';

/**
 * Returns whether the answer comes in the session that began the flow, or from a visitor if a visitor began
 * it.
 */
export const isOwnFlow = async (
  flow: SignInFlow,
  request: Request,
  account: Account | null,
): Promise<boolean> => flow.session === (await sessionIn(request, account));

/** The place behind a `from`, which anyone can have sent. */
export const placeOf = (from: unknown): string =>
  typeof from === 'string' && Object.hasOwn(places, from) ? places[from as keyof typeof places] : '/profile';

const short = (page: string, fallback: string): string => (page.length > MAX_PAGE ? fallback : page);

/**
 * Pages that need a proof: users who sign in for one of them are prompted at once, and not a second time
 * there.
 */
const provenPages: ReadonlySet<string | undefined> = new Set([freezePage, '/extension/code', '/device']);

const needsProof = (page: string): boolean => provenPages.has(page.split(/[?#]/)[0]);

/** The flow that a request begins at Twitch: signing in, connecting the account, or confirming who uses the session. */
export async function twitchFlow(request: Request, account: Account | null): Promise<SignInFlow> {
  const { searchParams } = new URL(request.url);
  const [from, to] = [searchParams.get('from'), searchParams.get('to')];
  const begun = { isOfApp: from === 'extension', session: await sessionIn(request, account) };
  if (!account) {
    const page = from === 'signin' ? safePath(to, '/dashboard') : '/dashboard';
    return { ...begun, purpose: 'enter', to: short(page, '/dashboard'), asksAgain: needsProof(page) };
  }
  if (from === 'confirm')
    return {
      ...begun,
      purpose: 'confirm',
      to: short(safePath(to, '/profile'), '/profile'),
      asksAgain: true,
    };
  return { ...begun, purpose: 'link', to: placeOf(from), asksAgain: false };
}

/** The flow that a request begins at Steam, to connect an account. */
export async function steamFlow(request: Request, account: Account): Promise<SignInFlow> {
  const from = new URL(request.url).searchParams.get('from');
  const session = await sessionIn(request, account);
  const isOfApp = from === 'extension';
  return { purpose: 'steam', to: placeOf(from), isOfApp, session, asksAgain: false };
}
