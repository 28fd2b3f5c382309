/** Words joined by underscores: `haveSeconds` is `have_seconds`. */
type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : '';

/** Facts by the names that callers know; moments are told as ISO 8601, without their unit. */
export type CallerFacts<Facts> = {
  [Name in keyof Facts & string as Snake<
    Name extends `${infer Moment}Ms` ? Moment : Name
  >]: Name extends `${string}Ms` ? string | Extract<Facts[Name], null> : Facts[Name];
};

export const callerName = (name: string): string =>
  name.replace(/Ms$/, '').replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Tells facts to callers, each by its name. */
export const presentFacts = <Facts extends object>(facts: Facts): CallerFacts<Facts> =>
  Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [
      callerName(name),
      name.endsWith('Ms') && value !== null ? new Date(value).toISOString() : value,
    ]),
  ) as CallerFacts<Facts>;
