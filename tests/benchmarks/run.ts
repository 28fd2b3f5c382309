// npm run bench -- <name>: one benchmark, its findings as one line of JSON at the end.
import { existsSync } from 'node:fs';

const name = process.argv[2] ?? '';
const file = new URL(`./${name}.bench.ts`, import.meta.url);
if (!/^[a-z-]+$/.test(name) || !existsSync(file)) {
  console.error('Usage: npm run bench -- <name>, where <name>.bench.ts is in tests/benchmarks');
  process.exit(2);
}
const { run } = (await import(file.href)) as { run: () => Promise<Record<string, number>> };
const findings = await run();
console.log(JSON.stringify({ name, ...findings }));
