import { setTimeout as delay } from 'node:timers/promises';
import { Authenticator } from 'remix-auth';
import { z } from 'zod';
import { config } from '#app/config.server.ts';
import { logger } from '#app/http/logger.server.ts';
import { ownCookieName } from '#app/http/own-cookie.server.ts';
import { readBoundedJson } from '#app/services/sign-in/bounded-answer.ts';
import { isOwnFlow, type SignInFlow, sealFlow } from '#app/services/sign-in/sign-in-flow.server.ts';
import {
  TwitchAnswerError,
  TwitchRefusalError,
  TwitchStrategy,
  type TwitchTokens,
  UnknownStateError,
} from '#app/services/sign-in/twitch-strategy.server.ts';
import type { Account } from '#domain/account/get-account.ts';
import {
  broadcasterTypeOf,
  type TwitchGrant,
  type TwitchPerson,
} from '#domain/account/twitch/twitch-grant.ts';
import {
  botScope,
  channelScopes,
  streamerScopes,
  viewerScopes,
} from '#domain/identity/twitch/twitch-scopes.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';

/** The reasons why a sign-in with Twitch failed. */
export type TwitchSignInCode = 'notConfigured' | 'notStartedHere' | 'denied' | 'refused' | 'unavailable';
/**
 * The permissions to ask for: a viewer's, or also those of a streamer's channel, with or without channel
 * points.
 */
export type TwitchPermissions = 'viewer' | 'streamer' | 'points';
export interface TwitchIdentity {
  person: TwitchPerson;
  grant: TwitchGrant;
}

const callbackPath = '/auth/twitch/callback';
const deadlineMs = 10_000;
const maxAttempts = 3;

const scopesOf: Record<TwitchPermissions, readonly string[]> = {
  viewer: [],
  streamer: channelScopes,
  points: streamerScopes,
};

interface Asked {
  permissions: TwitchPermissions;
  /** True if the channel's chat is to be opened to the bot. */
  allowsBot?: boolean;
  flow: SignInFlow;
}

/** The cookie of each sign-in under way has this name, a colon and its state. */
const cookieOf = () => ({ name: ownCookieName('keepsake_twitch'), path: '/', secure: config().secure });

/** Without a flow it begins none. */
function strategyFor({ permissions, allowsBot = false, flow }: Omit<Asked, 'flow'> & { flow?: SignInFlow }) {
  const { twitch, publicUrl } = config();
  const { clientId, clientSecret, authUrl } = twitch;
  if (!clientId || !clientSecret) return null;
  return new TwitchStrategy<TwitchIdentity>(
    {
      clientId,
      clientSecret,
      redirectUri: new URL(callbackPath, publicUrl).href,
      // Only signing in needs the address: a signed-in user has one already.
      scopes: [
        ...(flow?.purpose === 'enter' ? viewerScopes : []),
        ...scopesOf[permissions],
        ...(allowsBot ? [botScope] : []),
      ],
      authUrl: authUrl.href.replace(/\/$/, ''),
      state: flow ? sealFlow(flow) : '',
      // Without this, Twitch answers silently for a user who allowed all of it before, which proves nothing
      // about who sits there.
      asksAgain: flow?.asksAgain ?? false,
      cookie: cookieOf(),
    },
    ({ tokens }) => identify(tokens),
  );
}

/** Returns whether Twitch is configured on this instance. */
export const canUseTwitch = (): boolean => strategyFor({ permissions: 'viewer' }) !== null;

/**
 * Redirects to Twitch, with a state that holds the flow and that only this browser can return. If it confirms
 * an identity, Twitch prompts even users who allowed all of this before.
 */
export async function startTwitchSignIn(
  input: Asked,
): Promise<Outcome<{ response: Response }, TwitchSignInCode>> {
  const strategy = strategyFor(input);
  if (!strategy) return refuse('notConfigured');
  const authenticator = new Authenticator<TwitchIdentity>().use(strategy);
  try {
    // An address without a query: a state in a link from someone else must not look like an answer.
    await authenticator.authenticate('twitch', new Request(new URL('/auth/twitch', config().publicUrl)));
  } catch (thrown) {
    if (thrown instanceof Response) return done({ response: thrown });
    throw thrown;
  }
  throw new Error('the sign-in did not start');
}

/**
 * The user and the grant that Twitch returned. Only answers to our own requests are accepted, from the browser and the
 * session that began the flow of the state.
 */
export async function finishTwitchSignIn(
  request: Request,
  { flow, account }: { flow: SignInFlow | null; account: Account | null },
): Promise<Outcome<{ identity: TwitchIdentity; flow: SignInFlow }, TwitchSignInCode>> {
  const strategy = strategyFor({ permissions: 'viewer' });
  if (!strategy) return refuse('notConfigured');
  if (!flow || flow.purpose === 'steam' || !(await isOwnFlow(flow, request, account)))
    return refuse('notStartedHere');
  const authenticator = new Authenticator<TwitchIdentity>().use(strategy);
  try {
    return done({ identity: await authenticator.authenticate('twitch', request), flow });
  } catch (error) {
    const code = codeOf(error);
    if (code === 'unavailable' || code === 'refused') {
      logger().warn({ err: error }, 'signing in with Twitch failed');
      await countError(code);
    }
    return refuse(code);
  }
}

async function countError(code: TwitchSignInCode): Promise<void> {
  if (!config().metricsToken) return;
  const { twitchErrors } = await import('#app/http/metrics.server.ts');
  twitchErrors.inc({ code });
}

function codeOf(error: unknown): TwitchSignInCode {
  if (error instanceof UnknownStateError) return 'notStartedHere';
  if (error instanceof TwitchRefusalError) return error.code === 'access_denied' ? 'denied' : 'refused';
  if (error instanceof TwitchAnswerError) return error.status < 500 ? 'refused' : 'unavailable';
  return 'unavailable';
}

/** The Set-Cookie values that delete all of this browser's states: an answer is used once. */
export function clearTwitchStates(request: Request): string[] {
  const names = (request.headers.get('Cookie') ?? '')
    .split(';')
    .map((cookie) => cookie.trim().split('=')[0] ?? '')
    .filter((name) => name.startsWith(`${ownCookieName('keepsake_twitch')}:`));
  const secure = config().secure ? '; Secure' : '';
  return names.map((name) => `${name}=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax${secure}`);
}

/** Revokes a token. It expires anyway, so a failure is ignored. */
export async function revokeTwitchToken(accessToken: string): Promise<void> {
  try {
    await strategyFor({ permissions: 'viewer' })?.revokeToken(accessToken);
  } catch (error) {
    logger().warn({ err: error }, 'could not revoke a Twitch token');
  }
}

async function identify(tokens: TwitchTokens): Promise<TwitchIdentity> {
  const grant: TwitchGrant = { ...tokens, obtainedAtMs: Date.now() };
  return { person: await readPerson(grant.accessToken), grant };
}

const PeopleSchema = z.object({
  data: z.tuple([
    z.object({
      id: z.string().regex(/^\d+$/),
      login: z.string().min(1),
      display_name: z.string().min(1),
      profile_image_url: z.string().default(''),
      email: z.string().optional(),
      broadcaster_type: z.string().default(''),
    }),
  ]),
});

/** Asks Twitch whose token this is. Twitch returns only verified addresses. */
async function readPerson(accessToken: string): Promise<TwitchPerson> {
  const response = await askHelix('users', accessToken);
  const parsed = PeopleSchema.safeParse(await readBoundedJson(response));
  if (!response.ok || !parsed.success)
    throw new TwitchAnswerError(response.status, `Get Users answered ${response.status}`);
  const [person] = parsed.data.data;
  return {
    twitchId: person.id,
    login: person.login,
    displayName: person.display_name,
    pictureUrl: person.profile_image_url,
    email: person.email || null,
    broadcasterType: broadcasterTypeOf(person.broadcaster_type),
  };
}

/** Reads from Helix, and retries once if Twitch did not answer or failed. */
async function askHelix(path: string, accessToken: string): Promise<Response> {
  const { clientId, apiUrl } = config().twitch;
  const headers = { Authorization: `Bearer ${accessToken}`, 'Client-Id': clientId ?? '' };
  for (let tried = 1; ; tried++) {
    const last = tried === maxAttempts;
    try {
      const signal = AbortSignal.timeout(deadlineMs);
      const response = await fetch(new URL(path, apiUrl), { headers, signal, redirect: 'error' });
      if (last || (response.status < 500 && response.status !== 429)) return response;
      await response.body?.cancel();
    } catch (error) {
      if (last) throw error;
    }
    await delay(200 * tried * (0.5 + Math.random()));
  }
}
