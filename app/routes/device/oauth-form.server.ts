/** The errors of RFC 6749, 5.2 and RFC 8628, 3.5 that programs are given. */
export type OauthError =
  | 'invalid_request'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'unsupported_grant_type'
  | 'authorization_pending'
  | 'slow_down'
  | 'access_denied'
  | 'expired_token';

const headers = { 'Cache-Control': 'no-store', Pragma: 'no-cache' };

export const oauthAnswer = (answer: object): Response => Response.json(answer, { headers });

export const oauthError = (error: OauthError): Response => Response.json({ error }, { status: 400, headers });

/** Too many requests: none is accepted for this number of seconds. */
export const oauthTooMany = (waitSeconds: number): Response =>
  Response.json(
    { error: 'slow_down' satisfies OauthError },
    { status: 429, headers: { ...headers, 'Retry-After': String(waitSeconds) } },
  );

/** For other methods than POST. */
export const onlyPost = (): Response => new Response(null, { status: 405, headers: { Allow: 'POST' } });

const FORM = 'application/x-www-form-urlencoded';

/**
 * Reads a program's form (RFC 6749, 3.2): null for another form of body, and for a parameter that is there twice. One without
 * a value counts as left out.
 */
export async function readOauthForm(request: Request): Promise<Map<string, string> | null> {
  if (!request.headers.get('Content-Type')?.toLowerCase().startsWith(FORM)) return null;
  const pairs = [...new URLSearchParams(await request.text())];
  const form = new Map(pairs.filter(([, value]) => value !== ''));
  return form.size === pairs.filter(([, value]) => value !== '').length ? form : null;
}

/** The name of a program: anyone may choose one, of plain letters and signs (RFC 6749, A.1). */
export function programIn(form: ReadonlyMap<string, string>): string | null {
  const program = form.get('client_id')?.trim() ?? '';
  return /^[\x20-\x7e]{1,60}$/.test(program) ? program : null;
}
