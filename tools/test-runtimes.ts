// npm run test:runtimes [-- 22 24]: tests that may differ, on every supported Node, or on the named ones.
// Ends with one line per version that counts passed and failed tests; a version that cannot be installed
// counts as failed.
import { runtimes, testOnRuntime } from './testing/runtimes.ts';
import { close, joined, type Outcome } from './testing/steps.ts';

const named = process.argv.slice(2);
const unknown = named.filter((major) => !(major in runtimes));
if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(', ')}. Supported: ${Object.keys(runtimes).join(', ')}`);
  process.exit(2);
}
const versions = Object.entries(runtimes).filter(([major]) => named.length === 0 || named.includes(major));

const results: { version: string; outcome: Outcome }[] = [];
for (const [, version] of versions) results.push({ version, outcome: await testOnRuntime(version) });
for (const { version, outcome } of results)
  console.log(`Node ${version}: ${outcome.passed} passed, ${outcome.failures.length} failed`);
close(joined(results.map(({ outcome }) => outcome)));
