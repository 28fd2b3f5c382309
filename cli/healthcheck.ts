// `node build/healthcheck.js`: checks that web and bot, or only the named ones, answer on this machine.
import { findHealthFaults } from './check-health.ts';

const faults = await findHealthFaults(process.argv.slice(2), process.env);
for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;
