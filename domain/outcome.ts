/** What a verb answers: expected refusals are values, bugs throw. */
export type Outcome<Value extends object, Code extends string> = ({ ok: true } & Value) | Refusal<Code>;
export interface Refusal<Code extends string> {
  ok: false;
  code: Code;
}

export const refuse = <Code extends string>(code: Code): Refusal<Code> => ({ ok: false, code });
export const done = <Value extends object>(value: Value): { ok: true } & Value => ({ ok: true, ...value });

/** Rolls a transaction back and carries the refusal out of it; `refusable` turns it into the answer. */
export class Refused<Code extends string> extends Error {
  readonly code: Code;
  constructor(code: Code) {
    super(`refused: ${code}`);
    this.code = code;
  }
}

/** Runs work that may throw `Refused` half way, when nothing of it may stand, and answers with the refusal. */
export async function refusable<T, Code extends string>(work: () => Promise<T>): Promise<T | Refusal<Code>> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refused) return refuse(error.code as Code);
    throw error;
  }
}
