import { isId, momentOf, newId } from '#domain/kernel/id.ts';
import { day, minute } from '#domain/kernel/time.ts';
import type { Caller } from './caller.server.ts';
import { confirmationOf } from './confirmation.ts';
import { type Endpoint, fieldSource } from './endpoint.ts';
import { ApiFailure, type FaultText, failWith } from './failure.ts';
import { faultsOf, pointerTo } from './faults-of.ts';
import { readBody } from './negotiate.ts';

/** The validated body, and whether it was a JSON:API document, which decides where faults point to. */
export interface GivenBody {
  attributes: Record<string, unknown>;
  isDocument: boolean;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The attributes of a JSON:API document of the expected type. A document that changes something must have an id; a
 * new one has none yet.
 */
function attributesOf(document: unknown, type: string, named: string | null): unknown {
  const data = isRecord(document) ? document.data : null;
  if (!isRecord(data) || typeof data.type !== 'string') throw failWith('badDocument', { pointer: '/data' });
  if (data.type !== type) throw failWith('wrongType', { pointer: '/data/type' });
  if ('id' in data && data.id !== named)
    throw failWith(named === null ? 'clientId' : 'wrongId', { pointer: '/data/id' });
  return data.attributes ?? {};
}

/** Reads and validates the body of a call. A call without a body may still be sent an empty object. */
export async function readAttributes(
  row: Endpoint,
  request: Request,
  callerId: string | null,
): Promise<GivenBody> {
  const read = (await readBody(request)) ?? { json: {}, isDocument: false };
  const { isDocument } = read;
  if (!row.body) {
    const empty = isDocument || read.json === null || (isRecord(read.json) && isEmpty(read.json));
    if (!empty) throw failWith('unknownField', { pointer: '' });
    return { attributes: {}, isDocument };
  }
  const named = row.body.names === 'caller' ? callerId : null;
  const given = isDocument ? attributesOf(read.json, row.body.type, named) : read.json;
  const checked = row.body.attributes.safeParse(given);
  if (checked.success) return { attributes: checked.data, isDocument };
  const root = isDocument ? '/data/attributes' : '';
  throw new ApiFailure(
    faultsOf(checked.error, given, {
      status: 422,
      unknown: 'unknownField',
      sourceOf: (path) => ({ pointer: pointerTo(root, path) }),
    }),
  );
}

const isEmpty = (record: object): boolean => Object.keys(record).length === 0;

/** Our ids are ordered by time, so the time in a caller's id must be close to now. */
const isFresh = (id: string, nowMs: number): boolean => {
  const atMs = momentOf(id);
  return id[14] === '7' && atMs > nowMs - day && atMs < nowMs + 5 * minute;
};

/** The id that makes a mutating call repeatable: the caller's own, or a fresh one. */
export function requestIdOf(row: Endpoint, request: Request, nowMs: number): string {
  const given = row.repeatable ? request.headers.get('Idempotency-Key') : null;
  if (given === null) return newId(nowMs);
  const id = given.toLowerCase();
  // Domain time may be ahead of the caller's clock, but is never behind it by accident.
  if (isId(id) && (isFresh(id, nowMs) || isFresh(id, Date.now()))) return id;
  throw new ApiFailure({
    status: 400,
    code: 'badRequestId',
    key: 'api.badRequestId',
    source: { header: 'Idempotency-Key' },
  });
}

/** Ends a call with one of its endpoint's refusals. A form's 400 becomes 422: the request itself was well-formed. */
export function refusalOf(
  row: Endpoint,
  code: string,
  field: string | undefined,
  { body, detail, caller }: { body: GivenBody; detail: FaultText | undefined; caller: Caller },
): ApiFailure {
  const telling = row.refuses[code];
  if (!telling) throw new Error(`${row.name} does not list the refusal ${code}`);
  const status = telling.status === 400 ? 422 : telling.status;
  const source = field === undefined ? undefined : fieldSource(field, body.isDocument);
  const headers: Record<string, string> = status === 429 ? { 'Retry-After': '60' } : {};
  const meta = code === 'identityUnconfirmed' ? confirmationOf(caller) : undefined;
  return new ApiFailure({ status, code, key: telling.key, ...detail, source, meta }, headers);
}
