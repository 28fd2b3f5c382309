import { failWith } from './failure.ts';

export const jsonApiType = 'application/vnd.api+json';
/** Far above any valid body. */
const MAX_BODY_BYTES = 64 * 1024;

interface MediaType {
  type: string;
  parameters: string[];
}

function mediaTypes(header: string): MediaType[] {
  return header.split(',').map((part) => {
    const [type = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
    return { type, parameters: parameters.filter(Boolean) };
  });
}

const named = (parameter: string) => parameter.split('=')[0] ?? '';
/** JSON:API 1.1 defines two parameters. We support no extension, and profiles may be ignored. */
const isPlain = (parameters: readonly string[]) => parameters.every((each) => named(each) === 'profile');

const openTypes = new Set(['*/*', 'application/*', 'application/json']);

/** Refuses a caller that accepts none of our formats; `others` are the endpoint's additional formats. */
export function requireAccepted(request: Request, others: readonly string[] = []): void {
  const header = request.headers.get('Accept');
  if (!header) return;
  const accepted = mediaTypes(header).some(({ type, parameters }) => {
    if (parameters.some((each) => named(each) === 'q' && Number(each.slice(2)) === 0)) return false;
    if (openTypes.has(type) || others.includes(type)) return true;
    return type === jsonApiType && isPlain(parameters.filter((each) => named(each) !== 'q'));
  });
  if (!accepted) throw failWith('notAcceptable', { header: 'Accept' });
}

/** The request's JSON, and whether it is a JSON:API document; null for an empty body. */
export async function readBody(request: Request): Promise<{ json: unknown; isDocument: boolean } | null> {
  if (Number(request.headers.get('Content-Length') ?? 0) > MAX_BODY_BYTES) throw failWith('bodyTooLarge');
  const bytes = new Uint8Array(await request.arrayBuffer());
  if (bytes.byteLength > MAX_BODY_BYTES) throw failWith('bodyTooLarge');
  // An empty POST needs no content type.
  if (bytes.byteLength === 0) return null;
  const isDocument = isJsonApiBody(request);
  try {
    return { json: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)), isDocument };
  } catch {
    throw failWith('badJson', { pointer: '' });
  }
}

function isJsonApiBody(request: Request): boolean {
  const [media] = mediaTypes(request.headers.get('Content-Type') ?? '');
  if (media?.type === 'application/json') return false;
  if (media?.type === jsonApiType && isPlain(media.parameters)) return true;
  throw failWith('unsupportedMediaType', { header: 'Content-Type' });
}
