type Intersection<Union> = (Union extends unknown ? (each: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never;
type Merged<Union> = { [Key in keyof Intersection<Union>]: Intersection<Union>[Key] };

/** Merges several parts into one object. */
export const merged = <Part extends object>(parts: readonly Part[]) =>
  Object.assign({}, ...parts) as Merged<Part>;
