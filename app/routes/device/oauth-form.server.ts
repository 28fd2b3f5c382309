import { oauthHeaders as headers, type OauthError } from '#app/http/oauth-error.server.ts';

export const oauthAnswer = (answer: object): Response => Response.json(answer, { headers });

/** Too many requests: none is accepted for this number of seconds. */
export const oauthTooMany = (waitSeconds: number): Response =>
  Response.json(
    { error: 'slow_down' satisfies OauthError },
    { status: 429, headers: { ...headers, 'Retry-After': String(waitSeconds) } },
  );

/** For other methods than POST. */
export const onlyPost = (): Response =>
  new Response(null, { status: 405, headers: { ...headers, Allow: 'POST' } });

/** The answer to a request whose form need not be read: another method, or a client's secret (RFC 6749, 5.2); else null. */
export function refuseUnread(request: Request): Response | null {
  if (request.method !== 'POST') return onlyPost();
  if (!/^basic /i.test(request.headers.get('Authorization') ?? '')) return null;
  const answer = {
    error: 'invalid_client' satisfies OauthError,
    error_description: 'No client has a secret.',
  };
  return Response.json(answer, {
    status: 401,
    headers: { ...headers, 'WWW-Authenticate': 'Basic realm="programs"' },
  });
}

const FORM = 'application/x-www-form-urlencoded';

/**
 * Reads a program's form (RFC 6749, 3.2): null for another form of body, and for a parameter that is there twice. One without
 * a value counts as left out.
 */
export async function readOauthForm(request: Request): Promise<Map<string, string> | null> {
  const [type = ''] = (request.headers.get('Content-Type') ?? '').split(';');
  if (type.trim().toLowerCase() !== FORM) return null;
  const pairs = [...new URLSearchParams(await request.text())];
  const form = new Map(pairs.filter(([, value]) => value !== ''));
  return form.size === pairs.filter(([, value]) => value !== '').length ? form : null;
}

/** The name of a program: anyone may choose one, of plain letters and signs (RFC 6749, A.1). */
export function programIn(form: ReadonlyMap<string, string>): string | null {
  const program = form.get('client_id')?.trim() ?? '';
  return /^[\x20-\x7e]{1,60}$/.test(program) ? program : null;
}
