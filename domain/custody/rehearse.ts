/** Thrown to roll back a rehearsal's writes and carry its result out. */
class Rehearsed<T> extends Error {
  readonly result: T;
  constructor(result: T) {
    super('rolled back: this was a rehearsal');
    this.result = result;
  }
}

/**
 * Runs `act`, which passes its transaction's result through `finish`. In a rehearsal everything is decided and written
 * as usual, then rolled back.
 */
export async function rehearsable<T>(
  isRehearsal: boolean,
  act: (finish: (result: T) => T) => Promise<T>,
): Promise<T> {
  try {
    return await act((result) => {
      if (isRehearsal) throw new Rehearsed(result);
      return result;
    });
  } catch (error) {
    if (error instanceof Rehearsed) return error.result as T;
    throw error;
  }
}

/** The change that a repair makes, from one state to the next. */
export interface CustodyChange {
  subject: 'asset' | 'item' | 'reward' | 'transfer';
  id: string;
  from: string;
  to: string;
}
