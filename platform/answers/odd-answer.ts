export type Platform = 'steam' | 'twitch' | 'stripe';

/**
 * The way in which an answer differs: a field is missing, has another type, or has a value that its schema does not
 * list.
 */
export type Difference = 'missing' | 'type' | 'value';

/**
 * The product's reaction to such an answer. `noAnswer`: all of it counts as no answer, and is asked for again.
 * `rowSkipped`: that row is left out, and nothing is concluded from its absence. `pending`: it counts as not ended.
 * `ignored`: it is left out of account. `unknown`: that fact counts as unknown. `lowest`: it counts as the lowest tier.
 * `refused`: it counts as a refusal like others. `readAsIs`: it is read as it came, and nothing guards against it.
 */
export type Reaction =
  | 'noAnswer'
  | 'rowSkipped'
  | 'pending'
  | 'ignored'
  | 'unknown'
  | 'lowest'
  | 'refused'
  | 'readAsIs';

/** One way in which a platform's answers differ from what the code expects, without anything about a person. */
export interface OddAnswer {
  platform: Platform;
  /** The endpoint, or the kind of object or message. */
  place: string;
  /** The field, such as `response.trades[].status`. */
  path: string;
  difference: Difference;
  /** The type that was found or, where the schema lists values, the value; empty if the field is missing. */
  found: string;
  reaction: Reaction;
  /** The object around the field as JSON, with a word for the type in place of each value; null if it is too large. */
  example: string | null;
  /** Number of answers. */
  count: number;
}

/** The expected shape of a platform's answers at one place, as far as something is decided by it. */
export interface AnswerShape {
  platform: Platform;
  place: string;
  schema: import('zod').ZodType;
  /** The reaction if nothing more specific is listed. */
  reaction: Reaction;
  /** The reactions to new values of fields whose values are listed, by their path. */
  newValues?: Readonly<Record<string, Reaction>>;
  /** The reactions to single fields that are missing or of another type, by their path. */
  reactions?: Readonly<Record<string, Reaction>>;
  /** The address or package by which the shape is known. */
  source: string;
}
