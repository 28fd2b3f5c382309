import type { TextKey } from '#app/locales/translation.ts';

/** The part of the request that is at fault. */
export type FaultSource = { pointer: string } | { parameter: string } | { header: string };

/** The words of a fault, before they are translated. */
export interface FaultText {
  key: TextKey;
  values?: Record<string, unknown> | undefined;
}

/** One fault of a request. */
export interface Fault extends FaultText {
  status: number;
  code: string;
  source?: FaultSource | undefined;
  /** For programs: the possible ways out. */
  meta?: Record<string, unknown> | undefined;
}

/** Thrown to end a call with errors that are meant for the caller. Any other error is a bug. */
export class ApiFailure extends Error {
  readonly faults: readonly Fault[];
  readonly headers: Record<string, string>;
  constructor(faults: Fault | readonly Fault[], headers: Record<string, string> = {}) {
    const list = [faults].flat() as Fault[];
    super(`refused: ${list.map(({ code }) => code).join(', ')}`);
    this.faults = list;
    this.headers = headers;
  }
}

/** Faults that any call can have, by their codes. */
export const commonFaults = {
  badJson: { status: 400, code: 'badJson', key: 'api.badJson' },
  badDocument: { status: 400, code: 'badDocument', key: 'api.badDocument' },
  badParameter: { status: 400, code: 'badParameter', key: 'api.badParameter' },
  unknownParameter: { status: 400, code: 'unknownParameter', key: 'api.unknownParameter' },
  unauthorized: { status: 401, code: 'unauthorized', key: 'errors.session.required' },
  sessionReplaced: { status: 401, code: 'sessionReplaced', key: 'api.sessionReplaced' },
  badToken: { status: 401, code: 'badToken', key: 'api.badToken' },
  unverified: { status: 403, code: 'unverified', key: 'errors.user.unverified' },
  csrfMismatch: { status: 403, code: 'csrfMismatch', key: 'api.csrfMismatch' },
  clientId: { status: 403, code: 'clientId', key: 'api.clientId' },
  notFound: { status: 404, code: 'notFound', key: 'errors.page.notFound' },
  methodNotAllowed: { status: 405, code: 'methodNotAllowed', key: 'api.methodNotAllowed' },
  notAcceptable: { status: 406, code: 'notAcceptable', key: 'api.notAcceptable' },
  wrongId: { status: 409, code: 'wrongId', key: 'api.wrongId' },
  wrongType: { status: 409, code: 'wrongType', key: 'api.wrongType' },
  bodyTooLarge: { status: 413, code: 'bodyTooLarge', key: 'api.bodyTooLarge' },
  unsupportedMediaType: { status: 415, code: 'unsupportedMediaType', key: 'api.unsupportedMediaType' },
  unknownField: { status: 422, code: 'unknownField', key: 'api.unknownField' },
  tooManyRequests: { status: 429, code: 'tooManyRequests', key: 'errors.page.tooMany' },
  unexpected: { status: 500, code: 'unexpected', key: 'errors.common.unexpected' },
  timedOut: { status: 503, code: 'timedOut', key: 'api.timedOut' },
  unavailable: { status: 503, code: 'unavailable', key: 'api.unavailable' },
} as const satisfies Record<string, Fault>;

/** Ends a call with one of the faults that any call can have. */
export const failWith = (
  code: keyof typeof commonFaults,
  source?: FaultSource,
  headers?: Record<string, string>,
): ApiFailure => new ApiFailure({ ...commonFaults[code], source }, headers);
