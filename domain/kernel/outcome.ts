/** The result of a domain function: expected refusals are values, bugs throw. */
export type Outcome<Value extends object, Code extends string> = ({ ok: true } & Value) | Refusal<Code>;
export interface Refusal<Code extends string> {
  ok: false;
  code: Code;
}

export const refuse = <Code extends string>(code: Code): Refusal<Code> => ({ ok: false, code });
export const done = <Value extends object>(value: Value): { ok: true } & Value => ({ ok: true, ...value });

/** Thrown to roll back a transaction and carry the refusal out of it; `refusable` converts it to a value. */
export class Refused<Code extends string> extends Error {
  readonly code: Code;
  constructor(code: Code) {
    super(`refused: ${code}`);
    this.code = code;
  }
}

/** Runs work that may throw `Refused` after writing, so that it rolls back, and returns the refusal. */
export async function refusable<T, Code extends string>(work: () => Promise<T>): Promise<T | Refusal<Code>> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refused) return refuse(error.code as Code);
    throw error;
  }
}
