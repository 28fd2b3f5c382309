import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { readVersion } from './version.ts';

/**
 * The event loop's delay is sampled at this interval. prom-client's default of 10 ms would wake an idle
 * process all the time.
 */
const LAG_SAMPLE_MS = 200;

/**
 * A registry with prom-client's measurements of the process: CPU, memory, event loop, collections of garbage; and with
 * the version that runs, read now, because later its files may be those of a newer one.
 */
export function processRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LAG_SAMPLE_MS });
  const { version, build } = readVersion();
  new Gauge({
    name: 'keepsake_build_info',
    help: 'The version that runs, and the hash of its build; always 1',
    labelNames: ['version', 'build'] as const,
    registers: [registry],
  }).set({ version, build: build ?? 'sources' }, 1);
  return registry;
}
