import type { RouterContextProvider } from 'react-router';
import { z } from 'zod';
import type { apiCalls } from '#app/locales/en/api-calls.ts';
import type { Language } from '#app/locales/languages.ts';
import type { TextKey } from '#app/locales/translation.ts';
import type { RefusalText } from '#app/services/forms/refusals.server.ts';
import type { Database } from '#db/database.ts';
import type { Account } from '#domain/account/get-account.ts';
import type { FaultSource, FaultText } from './failure.ts';
import type { Resource, ResourceKind } from './resource.ts';

/**
 * The callers that an endpoint admits: anyone, signed-in users, or signed-in users with a verified address.
 */
export type Access = 'anyone' | 'signedIn' | 'verified';
export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';
/** The parts of a list's cursor, as its read model decodes them. */
export type CursorKinds = readonly ('text' | 'number')[];

/** The way in which a caller authenticated. */
export type Proof = { by: 'cookie' } | { by: 'token'; tokenId: string } | { by: 'none' };

/** The result of a handler. `says` is the key of a success message, sent in `meta.message`. */
export interface Answer {
  data: Resource | Resource[] | null;
  next?: string | null;
  meta?: Record<string, unknown>;
  says?: TextKey;
  cookies?: string[];
}

/** A handler's view of its call, already validated. */
export interface Call<
  A extends Access = Access,
  Params = Record<string, string>,
  Filter = Record<string, unknown>,
  Body = Record<string, unknown>,
  Code extends string = string,
> {
  request: Request;
  context: Readonly<RouterContextProvider>;
  db: Database;
  nowMs: number;
  account: A extends 'anyone' ? Account | null : Account;
  /** The way in which the caller authenticated. */
  proof: Proof;
  address: string;
  language: Language;
  params: Params;
  filter: Filter;
  page: { after: string | null; size: number };
  include: ReadonlySet<string>;
  body: Body;
  /** The id that makes a repeated call return the first result: the Idempotency-Key, or a fresh id. */
  requestId: string;
  /**
   * Ends the call with one of the endpoint's refusals, at the field of the body that it concerns, if any. `detail` says
   * more than the refusal's own text.
   */
  refuse(code: Code, field?: keyof Body & string, detail?: FaultText): never;
}

/** A call that `apiCalls` describes, in every language. */
export type CallName = keyof typeof apiCalls;

/** One row of the API's table. Routing, checks and the OpenAPI document are made from it. */
export interface Endpoint {
  method: Method;
  path: string;
  name: CallName;
  access: Access;
  params: z.ZodObject;
  filter: z.ZodObject;
  /** Set for lists that come in pages. */
  cursor: CursorKinds | null;
  /** Relationships that `include` may name; those with true are included by default. */
  includes: Record<string, boolean>;
  /**
   * The body's attributes, its type in a JSON:API document, and `names` if the document may repeat the
   * caller's id.
   */
  body: { type: string; attributes: z.ZodObject; names?: 'caller' } | null;
  /** A repeated call with the same Idempotency-Key returns the first result. */
  repeatable: boolean;
  answers: {
    status: 200 | 201 | 202;
    data: 'one' | 'many' | 'none' | 'events' | 'openApi';
    of: readonly ResourceKind[];
    meta: z.ZodObject | null;
    says: boolean;
  };
  refuses: Record<string, RefusalText>;
  handle(call: Call): Promise<Answer | Response>;
}

const nothing = z.strictObject({});
type Nothing = typeof nothing;

type Draft<
  A extends Access,
  P extends z.ZodObject,
  F extends z.ZodObject,
  B extends z.ZodObject,
  R extends Record<string, RefusalText>,
> = Pick<Endpoint, 'method' | 'path' | 'name'> & {
  access: A;
  params?: P;
  filter?: F;
  cursor?: CursorKinds;
  includes?: Record<string, boolean>;
  body?: { type: string; attributes: B; names?: 'caller' };
  repeatable?: boolean;
  answers?: Partial<Endpoint['answers']>;
  refuses?: R;
  handle(call: Call<A, z.output<P>, z.output<F>, z.output<B>, keyof R & string>): Promise<Answer | Response>;
};

/** Defines one row of the table; omitted parts are empty. */
export function endpoint<
  A extends Access,
  P extends z.ZodObject = Nothing,
  F extends z.ZodObject = Nothing,
  B extends z.ZodObject = Nothing,
  R extends Record<string, RefusalText> = Record<never, RefusalText>,
>(draft: Draft<A, P, F, B, R>): Endpoint {
  const { answers, handle, ...rest } = draft;
  return {
    params: nothing,
    filter: nothing,
    cursor: null,
    includes: {},
    body: null,
    repeatable: false,
    refuses: {},
    ...rest,
    answers: { status: 200, data: 'none', of: [], meta: null, says: false, ...answers },
    // The dispatcher validates a call against the row's schemas before it runs the handler.
    handle: handle as unknown as Endpoint['handle'],
  };
}

/** A fault at a field of the body, named as in the request. */
export const fieldSource = (field: string, isDocument: boolean): FaultSource => ({
  pointer: isDocument ? `/data/attributes/${field}` : `/${field}`,
});
