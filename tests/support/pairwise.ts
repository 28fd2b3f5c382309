interface Choice {
  part: string;
  value: string;
}

/** Few rows in which every value of a part meets every value of every other part at least once; the same each time. */
export function pairwise<T extends Record<string, string>>(
  parts: {
    [Part in keyof T]: readonly T[Part][];
  },
): T[] {
  const all: Choice[] = Object.entries(parts).flatMap(([part, values]) =>
    (values as readonly string[]).map((value) => ({ part, value })),
  );
  const open = new Map(
    all.flatMap((one, at) =>
      all.slice(at + 1).flatMap((other) => (one.part === other.part ? [] : [pairOf(one, other)])),
    ),
  );
  const rows: T[] = [];
  for (let [next] = open.values(); next; [next] = open.values()) {
    const row = [...next];
    for (const part of Object.keys(parts)) {
      if (row.some((choice) => choice.part === part)) continue;
      const gain = (choice: Choice) => row.filter((each) => open.has(pairOf(each, choice)[0])).length;
      const choices = all.filter((choice) => choice.part === part);
      row.push(choices.reduce((one, other) => (gain(other) > gain(one) ? other : one)));
    }
    for (const one of row) for (const other of row) open.delete(pairOf(one, other)[0]);
    rows.push(Object.fromEntries(row.map(({ part, value }) => [part, value])) as T);
  }
  return rows;
}

const pairOf = (one: Choice, other: Choice): [name: string, pair: Choice[]] => {
  const pair = [one, other].sort((a, b) => (a.part < b.part ? -1 : 1));
  return [pair.map(({ part, value }) => `${part}=${value}`).join(' '), pair];
};
