import type { BodyRefusal } from '#app/http/body-refusal.server.ts';

const kib = 1024;

/** The bytes of a body that are read, and the number of fields that a form may have. */
interface Limit {
  bytes: number;
  fields: number;
}

/** The longest form of a visitor is a message to the operator: 5,000 characters, each of up to nine bytes when encoded. */
const visitorForm: Limit = { bytes: 64 * kib, fields: 50 };
/** The largest form of all has a thousand kinds, each with up to four fields: key, quantity, weight, and not shown. */
const memberForm: Limit = { bytes: 256 * kib, fields: 4100 };
/** Stripe's events have some ten KiB; they wait in memory for their turn. */
const webhook: Limit = { bytes: 256 * kib, fields: 0 };
/** As large as the API itself allows. */
const apiCall: Limit = { bytes: 64 * kib, fields: 0 };

/** More than this nobody may send. */
export const MAX_BODY_BYTES = Math.max(memberForm.bytes, webhook.bytes);

const formTypes = new Set(['application/x-www-form-urlencoded', 'multipart/form-data']);
/** These routes validate their bodies themselves. */
const formlessPrefixes = ['/webhooks/', '/api/', '/oauth/'];

const pathOf = (request: Request): string => new URL(request.url).pathname;

const isForApi = (request: Request): boolean => pathOf(request).startsWith('/api/v1/');

/** The API refuses in its own format, so it gets the size and not the content. */
function withoutBody(request: Request): Request {
  const headers = new Headers(request.headers);
  headers.set('Content-Length', String(apiCall.bytes + 1));
  return new Request(request.url, { method: request.method, headers, signal: request.signal });
}

export interface BodyAnswers {
  refuse: BodyRefusal;
  /**
   * Returns whether a signed-in account sends this; called only if a body is larger than visitors' may be.
   */
  isMember: (request: Request) => Promise<boolean>;
}

function firstLimitOf(request: Request): Limit {
  if (isForApi(request)) return apiCall;
  return pathOf(request).startsWith('/webhooks/') ? webhook : visitorForm;
}

type Read = { body: Uint8Array<ArrayBuffer>; limit: Limit };

/** Reads the body and the sender's limit; null if the body is larger. It reads no more than that limit. */
async function readBounded(request: Request, isMember: BodyAnswers['isMember']): Promise<Read | null> {
  let limit = firstLimitOf(request);
  const fits = async (size: number): Promise<boolean> => {
    if (size <= limit.bytes) return true;
    if (limit !== visitorForm || size > memberForm.bytes || !(await isMember(request))) return false;
    limit = memberForm;
    return true;
  };
  if (!(await fits(Number(request.headers.get('Content-Length') ?? 0)))) return null;
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = request.body?.getReader();
  for (;;) {
    const part = await reader?.read();
    if (!part || part.done) break;
    size += part.value.byteLength;
    if (!(await fits(size))) {
      await reader?.cancel();
      return null;
    }
    chunks.push(part.value);
  }
  return { body: new Uint8Array(Buffer.concat(chunks, size)), limit };
}

/** The separator between two fields of a form; null if a multipart form does not say. */
function separatorOf(contentType: string): string | null {
  if (!/^multipart\//i.test(contentType)) return '&';
  const [, quoted, bare] = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType) ?? [];
  const boundary = quoted ?? bare;
  return boundary === undefined ? null : `--${boundary}`;
}

/**
 * Returns whether a form has more than this many fields. They are counted in its bytes, because parsing costs
 * a hundred times as much.
 */
function hasMoreFields(body: Uint8Array<ArrayBuffer>, separator: string, fields: number): boolean {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  // The parts of a multipart form have a boundary on either side.
  const max = separator === '&' ? fields - 1 : fields + 1;
  let found = -1;
  for (let count = 0; count <= max; count++) {
    found = bytes.indexOf(separator, found + 1);
    if (found === -1) return false;
  }
  return true;
}

/**
 * Returns whether a form could be one of ours. The form parser reads `a[9]` as a list, `a.b` as a tree and
 * `__intent__` as a command: a few bytes such as `a[999999999]` would use all memory. Our forms contain none
 * of these.
 */
const hasPlainNames = (form: FormData): boolean =>
  [...form.keys()].every((name) => /^(?!__)[\w:-]{1,100}$/.test(name));

/** Returns whether a form is valid UTF-8 throughout, including percent-encoded parts. */
async function isReadableForm(body: Uint8Array<ArrayBuffer>, contentType: string): Promise<boolean> {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
    if (!/^multipart\//i.test(contentType)) decodeURIComponent(text.replaceAll('+', ' '));
    return hasPlainNames(await new Response(body, { headers: { 'Content-Type': contentType } }).formData());
  } catch {
    return false;
  }
}

/** Returns why a form is refused before its route sees it: 413 or 400; null if it may pass. */
async function faultOf(
  { body, limit }: Read,
  contentType: string,
  mayHaveMore: () => Promise<boolean>,
): Promise<400 | 413 | null> {
  const separator = separatorOf(contentType);
  if (separator === null) return 400;
  const isLong = hasMoreFields(body, separator, limit.fields);
  if (isLong && (hasMoreFields(body, separator, memberForm.fields) || !(await mayHaveMore()))) return 413;
  return (await isReadableForm(body, contentType)) ? null : 400;
}

const takesOtherThanForms = (request: Request): boolean =>
  formlessPrefixes.some((prefix) => pathOf(request).startsWith(prefix));

/**
 * Reads a request's body once and returns an equal request, or a response: 413 if it is larger, or has more fields, than
 * its sender's forms; 400 for a form that cannot be read or is not ours, 415 for other types. Later parsers would throw,
 * and the user would see a 500.
 */
export async function limitBody(
  request: Request,
  { refuse, isMember }: BodyAnswers,
): Promise<Request | Response> {
  if (request.method === 'GET' || request.method === 'HEAD') return request;
  const read = await readBounded(request, isMember);
  if (read === null) return isForApi(request) ? withoutBody(request) : refuse(request, 413);
  const { body } = read;
  const headers = new Headers(request.headers);
  const contentType = headers.get('Content-Type') ?? '';
  const type = (contentType.split(';')[0] ?? '').trim().toLowerCase();
  if (formTypes.has(type) && !isForApi(request)) {
    const fault = await faultOf(read, contentType, () => isMember(request));
    if (fault !== null) return refuse(request, fault);
  }
  if (body.byteLength > 0 && !formTypes.has(type) && !takesOtherThanForms(request))
    return refuse(request, 415);
  // An empty POST has no content type, and request.formData() would throw instead of returning an empty form.
  if (body.byteLength === 0 && type === '') headers.set('Content-Type', 'application/x-www-form-urlencoded');
  headers.set('Content-Length', String(body.byteLength));
  return new Request(request.url, { method: request.method, headers, body, signal: request.signal });
}
