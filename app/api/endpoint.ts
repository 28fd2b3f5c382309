import type { RouterContextProvider } from 'react-router';
import { z } from 'zod';
import type { Language } from '#app/locales/languages.ts';
import type { TextKey } from '#app/locales/translation.ts';
import type { RefusalText } from '#app/services/refusals.server.ts';
import type { Database } from '#db/database.ts';
import type { Account } from '#domain/account/get-account.ts';
import type { FaultSource } from './failure.ts';
import type { Resource, ResourceKind } from './resource.ts';

/** Who may call: anyone, who is signed in, or who is signed in with a verified address. */
export type Access = 'anyone' | 'signedIn' | 'verified';
export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';
/** The parts of a list's cursor, as its read model decodes them. */
export type CursorKinds = readonly ('text' | 'number')[];

/** How a caller proved who they are. */
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
  /** How the caller proved who they are. */
  proof: Proof;
  address: string;
  language: Language;
  params: Params;
  filter: Filter;
  page: { after: string | null; size: number };
  include: ReadonlySet<string>;
  body: Body;
  /** What makes a second submit answer the first: the Idempotency-Key, or a fresh id. */
  requestId: string;
  /** Ends the call with a refusal that the endpoint lists, beside a field of the body where it belongs to one. */
  refuse(code: Code, field?: keyof Body & string): never;
}

/** One row of the API's table. Routing, checks and the OpenAPI document are made from it. */
export interface Endpoint {
  method: Method;
  path: string;
  name: string;
  about: string;
  access: Access;
  params: z.ZodObject;
  filter: z.ZodObject;
  /** Set for lists that come in pages. */
  cursor: CursorKinds | null;
  /** Relationships that `include` may name; those with true are included when nothing is asked. */
  includes: Record<string, boolean>;
  /** The body's attributes, the type that a JSON:API document of it has, and whose id the document may repeat. */
  body: { type: string; attributes: z.ZodObject; names?: 'caller' } | null;
  /** A second submit under the same Idempotency-Key answers the first. */
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
> = Pick<Endpoint, 'method' | 'path' | 'name' | 'about'> & {
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

/** Writes one row of the table; what is left out is empty. */
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
    // The dispatcher checks what a call carries against the row's own schemas before it hands it over.
    handle: handle as unknown as Endpoint['handle'],
  };
}

/** A fault beside a field of the body, as the body was sent. */
export const fieldSource = (field: string, isDocument: boolean): FaultSource => ({
  pointer: isDocument ? `/data/attributes/${field}` : `/${field}`,
});
