import type { FastifyInstance, FastifyReply } from 'fastify';
import type { TwitchContext } from './context.ts';
import { deviceGrants } from './device-grants.ts';
import { type Fields, formFields, Refusal, sendPage } from './http-answers.ts';
import { activatePage, authorizePage, messagePage } from './oauth-pages.ts';
import { randomWord } from './token-store.ts';
import type { TwitchWorld } from './world.ts';
import type { IssuedToken, TwitchUser } from './world-state.ts';

const codeLifetimeMs = 10 * 60_000;

interface GrantedCode {
  userId: string;
  redirectUri: string;
  scopes: string[];
  expiresAtMs: number;
}

/** Twitch's OAuth endpoints and the two consent pages. */
export function registerOAuth(app: FastifyInstance, context: TwitchContext): void {
  const { world } = context;
  const codes = new Map<string, GrantedCode>();
  const devices = deviceGrants();
  registerAuthorizePage(app, context, codes);
  registerActivatePage(app, context, devices);

  app.post('/auth/device', async (request) => {
    const fields = formFields(request);
    requireClient(context, fields);
    const grant = devices.begin(scopesIn(fields.scopes ?? fields.scope));
    return {
      device_code: grant.deviceCode,
      expires_in: grant.lifetimeSeconds,
      interval: context.deviceIntervalSeconds,
      user_code: grant.userCode,
      verification_uri: `http://${request.host}/activate?public=true&device-code=${grant.userCode}`,
    };
  });

  app.post('/auth/token', async (request) => {
    const fields = formFields(request);
    requireClient(context, fields);
    return grantToken(context, codes, devices, fields);
  });

  app.get('/auth/validate', async (request) => {
    const given = /^(?:OAuth|Bearer) (\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (!given) throw new Refusal(401, 'missing authorization token');
    const token = world.tokens.findValid(given);
    if (!token) throw new Refusal(401, 'invalid access token');
    const user = token.userId === null ? undefined : world.userById(token.userId);
    return {
      client_id: token.clientId,
      ...(user && { login: user.login }),
      scopes: token.scopes,
      ...(user && { user_id: user.id }),
      expires_in: world.tokens.remainingSeconds(token),
    };
  });

  app.post('/auth/revoke', async (request, reply) => {
    const fields = formFields(request);
    if (!fields.client_id) throw new Refusal(400, 'missing client id');
    if (fields.client_id !== context.clientId) throw new Refusal(404, 'client does not exist');
    if (!fields.token) throw new Refusal(400, 'missing oauth token');
    if (!world.tokens.revoke(fields.token, fields.client_id)) throw new Refusal(400, 'Invalid token');
    return reply.code(200).send();
  });
}

/** Answers a token request by its grant type. Device codes are for public clients, which have no secret. */
function grantToken(
  context: TwitchContext,
  codes: Map<string, GrantedCode>,
  devices: ReturnType<typeof deviceGrants>,
  fields: Fields,
) {
  const { clientId, world } = context;
  if (fields.grant_type === 'urn:ietf:params:oauth:grant-type:device_code') {
    const granted = devices.redeem(fields.device_code ?? '');
    if (!granted.ok) throw new Refusal(400, granted.message);
    return tokenAnswer(world, world.tokens.issue({ clientId, ...granted }));
  }
  requireSecret(context, fields);
  switch (fields.grant_type) {
    case 'client_credentials': {
      const token = world.tokens.issue({ clientId, userId: null, scopes: [] });
      const { access_token, expires_in, token_type } = tokenAnswer(world, token);
      return { access_token, expires_in, token_type };
    }
    case 'authorization_code': {
      const granted = codes.get(fields.code ?? '');
      codes.delete(fields.code ?? '');
      if (!granted || granted.expiresAtMs < Date.now()) throw new Refusal(400, 'Invalid authorization code');
      if (granted.redirectUri !== fields.redirect_uri)
        throw new Refusal(400, 'Parameter redirect_uri does not match registered URI');
      return tokenAnswer(world, world.tokens.issue({ clientId, ...granted }));
    }
    case 'refresh_token': {
      const token = world.tokens.refresh(fields.refresh_token ?? '', clientId);
      if (!token) throw new Refusal(400, 'Invalid refresh token');
      return tokenAnswer(world, token);
    }
    default:
      throw new Refusal(400, fields.grant_type ? 'invalid grant type' : 'missing grant type');
  }
}

function registerAuthorizePage(
  app: FastifyInstance,
  context: TwitchContext,
  codes: Map<string, GrantedCode>,
): void {
  const show = (reply: FastifyReply, asked: AuthorizeRequest, problem?: string) =>
    sendPage(
      reply,
      problem ? 400 : 200,
      authorizePage({
        hidden: asked.hidden,
        scopes: asked.scopes,
        people: peopleToPick(context.world),
        destination: new URL(asked.redirectUri).host,
        problem,
      }),
    );

  const allow = (reply: FastifyReply, asked: AuthorizeRequest, user: TwitchUser) => {
    const code = randomWord(30);
    codes.set(code, {
      userId: user.id,
      redirectUri: asked.redirectUri,
      scopes: asked.scopes,
      expiresAtMs: Date.now() + codeLifetimeMs,
    });
    return answerTo(reply, asked, { code, scope: asked.scopes.join(' ') });
  };
  const allowed = new Map<string, Set<string>>();

  // Twitch prompts a user who has allowed all of it again only with `force_verify=true`; otherwise it answers
  // at once, for the account that is signed in there (Twitch's documentation of the authorization code grant
  // flow, of `force_verify`: "Set to true to force the user to re-authorize your app's access to their
  // resources. The default is false.").
  app.get('/auth/authorize', async (request, reply) => {
    const fields = request.query as Fields;
    const asked = readAuthorizeRequest(context, fields);
    if (!asked.ok) return refusePage(reply, asked.message);
    const user = signedInUser(context.world, request.headers.cookie);
    const before = allowed.get(user?.id ?? '');
    const isKnown = before !== undefined && asked.scopes.every((scope) => before.has(scope));
    return user && isKnown && fields.force_verify !== 'true' ? allow(reply, asked, user) : show(reply, asked);
  });

  app.post('/auth/authorize', async (request, reply) => {
    const fields = formFields(request);
    const asked = readAuthorizeRequest(context, fields);
    if (!asked.ok) return refusePage(reply, asked.message);
    if (fields.decision !== 'approve')
      return answerTo(reply, asked, {
        error: 'access_denied',
        error_description: 'The user denied you access',
      });
    const user = pickedUser(context.world, fields);
    if (!user) return show(reply, asked, 'No sandbox user has this login.');
    allowed.set(user.id, new Set([...(allowed.get(user.id) ?? []), ...asked.scopes]));
    reply.header('Set-Cookie', `${loginCookie}=${user.login}; Path=/auth/authorize; HttpOnly; SameSite=Lax`);
    return allow(reply, asked, user);
  });
}

/** Sends the browser back with Twitch's answer. */
function answerTo(
  reply: FastifyReply,
  asked: AuthorizeRequest,
  answer: Record<string, string>,
): FastifyReply {
  const target = new URL(asked.redirectUri);
  for (const [name, value] of Object.entries(answer)) target.searchParams.set(name, value);
  if (asked.hidden.state !== undefined) target.searchParams.set('state', asked.hidden.state);
  return reply.code(302).header('Cache-Control', 'no-store').header('Location', target.href).send();
}

/** The person who is signed in at the sandbox's Twitch in a browser: the last one who decided there. */
const loginCookie = 'sandbox_twitch_login';

function signedInUser(world: TwitchWorld, cookies = ''): TwitchUser | undefined {
  const login = new RegExp(`(?:^|; *)${loginCookie}=(\\w+)`).exec(cookies)?.[1];
  const user = login === undefined ? undefined : world.userByLogin(login);
  return user && !world.suspensions.has(user.id) ? user : undefined;
}

function registerActivatePage(
  app: FastifyInstance,
  { world }: TwitchContext,
  devices: ReturnType<typeof deviceGrants>,
): void {
  const show = (reply: FastifyReply, userCode: string, problem?: string) =>
    sendPage(
      reply,
      problem ? 400 : 200,
      activatePage({
        userCode,
        scopes: devices.scopesOf(userCode),
        people: peopleToPick(world),
        problem,
      }),
    );

  app.get('/activate', async (request, reply) => show(reply, (request.query as Fields)['device-code'] ?? ''));

  app.post('/activate', async (request, reply) => {
    const fields = formFields(request);
    const userCode = fields.user_code ?? '';
    if (devices.scopesOf(userCode) === null)
      return show(reply, userCode, 'This code is unknown, used or expired.');
    const user = fields.decision === 'approve' ? pickedUser(world, fields) : null;
    if (user === undefined) return show(reply, userCode, 'No sandbox user has this login.');
    devices.decide(userCode, user?.id ?? null);
    const page = user
      ? messagePage(
          'Your device is connected',
          `You are signed in as ${user.displayName}. You can close this page.`,
        )
      : messagePage('Not connected', 'You declined. The device gets no access.');
    return sendPage(reply, 200, page);
  });
}

interface AuthorizeRequest {
  redirectUri: string;
  scopes: string[];
  hidden: Record<string, string>;
}

function readAuthorizeRequest(
  context: TwitchContext,
  fields: Fields,
): ({ ok: true } & AuthorizeRequest) | { ok: false; message: string } {
  if (fields.client_id !== context.clientId) return { ok: false, message: 'invalid client' };
  if (fields.response_type !== 'code') return { ok: false, message: 'unsupported response type' };
  const redirectUri = fields.redirect_uri ?? '';
  const isWeb = URL.canParse(redirectUri) && /^https?:$/.test(new URL(redirectUri).protocol);
  if (!isWeb) return { ok: false, message: 'redirect_uri must be an http or https address' };
  // Twitch compares whole addresses, as its documentation of the authorization code grant flow says of `redirect_uri`.
  if (context.redirectUris.length > 0 && !context.redirectUris.includes(redirectUri))
    return { ok: false, message: 'Parameter redirect_uri does not match registered URI' };
  const hidden: Record<string, string> = {
    client_id: fields.client_id,
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: fields.scope ?? '',
  };
  if (fields.state !== undefined) hidden.state = fields.state;
  return { ok: true, redirectUri, scopes: scopesIn(fields.scope), hidden };
}

function refusePage(reply: FastifyReply, message: string): FastifyReply {
  return sendPage(reply, 400, messagePage('This request cannot be authorized', message));
}

/** Everyone except anonymous chatters, who can still be entered by login. */
function peopleToPick(world: TwitchWorld): TwitchUser[] {
  return world
    .users()
    .filter((user) => !user.login.startsWith('demo_chatter_') && !world.suspensions.has(user.id));
}

function pickedUser(world: TwitchWorld, fields: Fields): TwitchUser | undefined {
  const user = world.userByLogin(fields.other_login?.trim() || (fields.login ?? ''));
  return user && !world.suspensions.has(user.id) ? user : undefined;
}

/** Twitch reads the client id from parameters only and ignores HTTP Basic. */
function requireClient(context: TwitchContext, fields: Fields): void {
  if (!fields.client_id) throw new Refusal(400, 'missing client id');
  if (fields.client_id !== context.clientId) throw new Refusal(400, 'invalid client');
}

function requireSecret(context: TwitchContext, fields: Fields): void {
  if (!fields.client_secret) throw new Refusal(400, 'missing client secret');
  if (fields.client_secret !== context.clientSecret) throw new Refusal(403, 'invalid client secret');
}

function scopesIn(scope: string | undefined): string[] {
  return [...new Set((scope ?? '').split(' ').filter(Boolean))];
}

function tokenAnswer(world: TwitchWorld, token: IssuedToken) {
  return {
    access_token: token.accessToken,
    expires_in: world.tokens.remainingSeconds(token),
    refresh_token: token.refreshToken,
    scope: token.scopes,
    token_type: 'bearer',
  };
}
