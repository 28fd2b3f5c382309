/** A typed state machine: the table alone decides what may happen in which state. A state without events is terminal. */
type Table = Record<string, Record<string, string>>;
export type EventOf<T extends Table> = { [S in keyof T]: keyof T[S] & string }[keyof T];

/** Rejects at compile time a table that refers to an unlisted state. */
export function defineMachine<const T extends Record<string, Record<string, keyof T & string>>>(table: T) {
  type State = keyof T & string;
  const row = (state: State): Record<string, State> => table[state] ?? {};
  return {
    table,
    /** Returns the state after `event`, or null when it is not allowed in `state`. */
    next: (state: State, event: EventOf<T>): State | null => row(state)[event] ?? null,
    isTerminal: (state: State): boolean => Object.keys(row(state)).length === 0,
  };
}
