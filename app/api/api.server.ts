import type { RouterContextProvider } from 'react-router';
import { processLog } from '#app/http/logger.server.ts';
import type { TextKey, TextValues } from '#app/locales/translation.ts';
import { clientAddressContext, languageContext } from '#app/middleware/contexts.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { translations } from '#app/services/translations.server.ts';
import { isPassingFailure } from '#db/passing-failure.ts';
import { harmlessJson } from '#platform/harmless.ts';
import { identifyCaller, requireAccess, requireOwnCall } from './caller.server.ts';
import { dataDocument, errorDocument, statusOf } from './document.ts';
import type { Answer, Call, Endpoint } from './endpoint.ts';
import { allowExtension } from './extension-origin.ts';
import { ApiFailure, commonFaults, failWith } from './failure.ts';
import { readAttributes, refusalOf, requestIdOf } from './input.ts';
import { admitCaller } from './limits.server.ts';
import { jsonApiType, requireAccepted } from './negotiate.ts';
import { type Asked, readQuery } from './query.ts';
import type { ResourceKind } from './resource.ts';

/** The specification's limit for a call. */
export const deadlineMs = 30_000;

type Context = Readonly<RouterContextProvider>;
/** Answers any request to the API: always with a JSON:API document, except for event streams. */
export type Api = (request: Request, context: Context) => Promise<Response>;

interface Route {
  row: Endpoint;
  pattern: RegExp;
}

const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);

/** Builds the API's request handler from a table of endpoints. */
export function createApi(
  table: readonly Endpoint[],
  kinds: readonly ResourceKind[],
  options: { deadlineMs?: number } = {},
): Api {
  const routes = table.map((row): Route => ({ row, pattern: patternOf(row.path) }));
  const reply: Api = async (request, context) => {
    try {
      if (request.method === 'OPTIONS') return options204(routes, request);
      const found = findRow(routes, request);
      return await inTime(options.deadlineMs ?? deadlineMs, () => answer(found, request, context, kinds));
    } catch (error) {
      return refuse(error, context);
    }
  };
  return async (request, context) => allowExtension(request, await reply(request, context));
}

const methodOf = (request: Request): string => (request.method === 'HEAD' ? 'GET' : request.method);
const matching = (routes: readonly Route[], { pathname }: URL) =>
  routes.filter(({ pattern }) => pattern.test(pathname));

function findRow(routes: readonly Route[], request: Request): Route {
  const here = matching(routes, new URL(request.url));
  const found = here.find(({ row }) => row.method === methodOf(request));
  if (found) return found;
  if (here.length === 0) throw failWith('notFound');
  throw failWith('methodNotAllowed', undefined, { Allow: allowedBy(here) });
}

const allowedBy = (here: readonly Route[]): string => here.map(({ row }) => row.method).join(', ');

function options204(routes: readonly Route[], request: Request): Response {
  const here = matching(routes, new URL(request.url));
  if (here.length === 0) throw failWith('notFound');
  return new Response(null, { status: 204, headers: { Allow: allowedBy(here) } });
}

/** Answers with a timeout if the call takes too long. The work continues, but its result is dropped. */
async function inTime(limitMs: number, work: () => Promise<Response>): Promise<Response> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(failWith('timedOut', undefined, { 'Retry-After': '5' })), limitMs);
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Runs one call. It can be refused, in this order, for its format, its caller, missing access, its address or its
 * body.
 */
async function answer(
  { row, pattern }: Route,
  request: Request,
  context: Context,
  kinds: readonly ResourceKind[],
): Promise<Response> {
  requireAccepted(request, row.answers.data === 'events' ? ['text/event-stream'] : []);
  const url = new URL(request.url);
  const [db, nowMs] = [await database(), await domainNow()];
  const caller = await identifyCaller(request, context, db, nowMs);
  // A program reads what its owner chose; a browser has its own choice, which a change here changes too.
  if (caller.proof.by === 'token' && caller.account) context.set(languageContext, caller.account.locale);
  const address = context.get(clientAddressContext);
  await admitCaller(caller.account?.id ?? address);
  const changes = row.method !== 'GET';
  if (changes) await requireOwnCall(request, caller);
  requireAccess(row.access, caller, context);
  // A malformed id is treated as unknown.
  const params = row.params.safeParse(pattern.exec(url.pathname)?.groups ?? {});
  if (!params.success) throw failWith('notFound');
  const asked = readQuery(row, url, kinds);
  const callerId = caller.account?.id ?? null;
  const body = changes ? await readAttributes(row, request, callerId) : { attributes: {}, isDocument: false };
  const call: Call = {
    request,
    context,
    db,
    nowMs,
    // The row's access was checked above; only `anyone` allows null.
    account: caller.account as Call['account'],
    proof: caller.proof,
    address,
    language: context.get(languageContext),
    params: params.data as Record<string, string>,
    filter: asked.filter,
    page: asked.page,
    include: asked.include,
    body: body.attributes,
    requestId: requestIdOf(row, request, nowMs),
    refuse: (code, field, detail) => {
      throw refusalOf(row, code, field, { body, detail, caller });
    },
  };
  const result = await row.handle(call);
  return result instanceof Response ? result : respond(row, result, asked, request, context);
}

function sayIn(context: Context) {
  const { t } = translations(context.get(languageContext));
  return (key: TextKey, values?: Record<string, unknown>): string => t(key, values as TextValues);
}

function respond(row: Endpoint, result: Answer, asked: Asked, request: Request, context: Context): Response {
  const document = dataDocument(result, asked, new URL(request.url), sayIn(context));
  const response = write(document, row.answers.status);
  for (const cookie of result.cookies ?? []) response.headers.append('Set-Cookie', cookie);
  return response;
}

/** Failures are reported to the caller. Anything else is a bug: it is logged, and the caller sees a general error. */
function refuse(error: unknown, context: Context): Response {
  if (!(error instanceof ApiFailure)) processLog.error({ err: error }, 'an API call failed');
  const { faults, headers } = failureOf(error);
  return write(errorDocument(faults, sayIn(context)), statusOf(faults), headers);
}

/** Returns the failure that an error is answered with. After an outage a repetition with the same key does nothing twice. */
function failureOf(error: unknown): Pick<ApiFailure, 'faults' | 'headers'> {
  if (error instanceof ApiFailure) return error;
  if (isPassingFailure(error)) return failWith('unavailable', undefined, { 'Retry-After': '5' });
  return { faults: [commonFaults.unexpected], headers: {} };
}

const write = (document: object, status: number, headers: Record<string, string> = {}): Response =>
  new Response(harmlessJson(document), {
    status,
    headers: { 'Content-Type': jsonApiType, 'Cache-Control': 'no-store', Vary: 'Accept', ...headers },
  });
