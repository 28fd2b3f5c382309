// npm run bench -- <name> [--history]: runs one benchmark and prints its results as one line of JSON at the end.
// --history uses a database with three years of past.
import { existsSync } from 'node:fs';
import type { BenchOptions } from '#tests/benchmarks/store.ts';

const [name = '', ...flags] = process.argv.slice(2);
const file = new URL(`./${name}.bench.ts`, import.meta.url);
if (!/^[a-z-]+$/.test(name) || !existsSync(file) || flags.some((flag) => flag !== '--history')) {
  console.error('Usage: npm run bench -- <name> [--history], where <name>.bench.ts is in tests/benchmarks');
  process.exit(2);
}
const options: BenchOptions = { history: flags.includes('--history') };
const { run } = (await import(file.href)) as {
  run: (options: BenchOptions) => Promise<Record<string, number>>;
};
const findings = await run(options);
console.log(JSON.stringify({ name, ...(options.history && options), ...findings }));
