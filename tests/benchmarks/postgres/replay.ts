import pg from 'pg';

export interface Call {
  text: string;
  values: unknown[];
}

/** Runs each piece of work and records its statements with their values. */
export async function recordEach(works: readonly (() => Promise<unknown>)[]): Promise<Call[][]> {
  const { query } = pg.Client.prototype;
  let calls: Call[] = [];
  const recording = function (this: pg.Client, ...sent: unknown[]) {
    const [what, values] = sent as [string | { text: string; values?: unknown[] }, unknown];
    const text = typeof what === 'string' ? what : what.text;
    const given = Array.isArray(values) ? values : typeof what === 'string' ? [] : (what.values ?? []);
    calls.push({ text, values: given });
    return Reflect.apply(query, this, sent);
  };
  pg.Client.prototype.query = recording as typeof query;
  const recordings: Call[][] = [];
  try {
    for (const work of works) {
      calls = [];
      await work();
      recordings.push(calls);
    }
  } finally {
    pg.Client.prototype.query = query;
  }
  return recordings;
}

/** Sends recorded statements on one connection, each prepared once under its own name. */
export function replayer(client: pg.Client): (calls: readonly Call[]) => Promise<void> {
  const names = new Map<string, string>();
  return async (calls) => {
    for (const { text, values } of calls) {
      let name = names.get(text);
      if (name === undefined) {
        name = `replayed_${names.size}`;
        names.set(text, name);
      }
      if (values.length > 0) await client.query({ name, text, values, rowMode: 'array' });
      else await client.query(text);
    }
  };
}
