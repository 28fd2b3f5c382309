import type { BodyRefusal } from './body-refusal.server.ts';

/** Far above any valid request. */
export const MAX_BODY_BYTES = 1024 * 1024;
/** The largest form of ours has a thousand kinds, each with its quantity. */
const maxFields = 2500;

const formTypes = new Set(['application/x-www-form-urlencoded', 'multipart/form-data']);
/** These routes validate their bodies themselves. */
const formlessPrefixes = ['/webhooks/', '/api/'];

/** The API refuses in its own format, so it gets the size and not the content. */
const isForApi = (request: Request): boolean => new URL(request.url).pathname.startsWith('/api/v1/');

function withoutBody(request: Request): Request {
  const headers = new Headers(request.headers);
  headers.set('Content-Length', String(MAX_BODY_BYTES + 1));
  return new Request(request.url, { method: request.method, headers, signal: request.signal });
}

/** The body as text, or null if it is larger than allowed. */
async function readBounded(request: Request): Promise<Uint8Array<ArrayBuffer> | null> {
  if (Number(request.headers.get('Content-Length') ?? 0) > MAX_BODY_BYTES) return null;
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = request.body?.getReader();
  for (;;) {
    const part = await reader?.read();
    if (!part || part.done) break;
    size += part.value.byteLength;
    if (size > MAX_BODY_BYTES) {
      await reader?.cancel();
      return null;
    }
    chunks.push(part.value);
  }
  return new Uint8Array(Buffer.concat(chunks, size));
}

/**
 * Whether a form could be one of ours. The form parser reads `a[9]` as a list, `a.b` as a tree and `__intent__` as a
 * command: a few bytes such as `a[999999999]` would use all memory. Our forms contain none of these.
 */
function hasPlainNames(form: FormData): boolean {
  const names = [...form.keys()];
  return names.length <= maxFields && names.every((name) => /^(?!__)[\w:-]{1,100}$/.test(name));
}

/** Whether a form is valid UTF-8 throughout, also where it is percent-encoded. */
async function isReadableForm(body: Uint8Array<ArrayBuffer>, contentType: string): Promise<boolean> {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
    if (!/^multipart\//i.test(contentType)) decodeURIComponent(text.replaceAll('+', ' '));
    return hasPlainNames(await new Response(body, { headers: { 'Content-Type': contentType } }).formData());
  } catch {
    return false;
  }
}

const takesOtherThanForms = (request: Request): boolean => {
  const { pathname } = new URL(request.url);
  return formlessPrefixes.some((prefix) => pathname.startsWith(prefix));
};

/**
 * Reads a request's body once and returns an equal request, or a response: 413 above 1 MiB, 400 for a form that
 * cannot be read or is not ours, 415 for other types. Later parsers would throw, and the user would see a 500.
 */
export async function limitBody(request: Request, refuse: BodyRefusal): Promise<Request | Response> {
  if (request.method === 'GET' || request.method === 'HEAD') return request;
  const body = await readBounded(request);
  if (body === null && isForApi(request)) return withoutBody(request);
  if (body === null) return refuse(request, 413);
  const headers = new Headers(request.headers);
  const contentType = headers.get('Content-Type') ?? '';
  const type = (contentType.split(';')[0] ?? '').trim().toLowerCase();
  if (formTypes.has(type) && !isForApi(request) && !(await isReadableForm(body, contentType))) {
    return refuse(request, 400);
  }
  if (body.byteLength > 0 && !formTypes.has(type) && !takesOtherThanForms(request))
    return refuse(request, 415);
  // An empty POST has no content type, and request.formData() would throw instead of returning an empty form.
  if (body.byteLength === 0 && type === '') headers.set('Content-Type', 'application/x-www-form-urlencoded');
  return new Request(request.url, { method: request.method, headers, body, signal: request.signal });
}
