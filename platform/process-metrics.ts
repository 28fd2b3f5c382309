import { collectDefaultMetrics, Registry } from 'prom-client';

/**
 * The event loop's delay is sampled at this interval. prom-client's default of 10 ms would wake an idle
 * process all the time.
 */
const LAG_SAMPLE_MS = 200;

/** A registry with prom-client's measurements of the process: CPU, memory, event loop, collections of garbage. */
export function processRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LAG_SAMPLE_MS });
  return registry;
}
