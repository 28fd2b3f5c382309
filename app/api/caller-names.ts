/** Converts a name to snake case: `haveSeconds` becomes `have_seconds`. */
type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : '';

/** Facts under their names in the API. Times are ISO 8601 strings, without the unit in their name. */
export type CallerFacts<Facts> = {
  [Name in keyof Facts & string as Snake<
    Name extends `${infer Moment}Ms` ? Moment : Name
  >]: Name extends `${string}Ms` ? string | Extract<Facts[Name], null> : Facts[Name];
};

export const callerName = (name: string): string =>
  name.replace(/Ms$/, '').replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Converts facts to their names and formats in the API. */
export const presentFacts = <Facts extends object>(facts: Facts): CallerFacts<Facts> =>
  Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [
      callerName(name),
      name.endsWith('Ms') && value !== null ? new Date(value).toISOString() : value,
    ]),
  ) as CallerFacts<Facts>;
