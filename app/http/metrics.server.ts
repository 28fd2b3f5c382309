import { Counter, Gauge, Histogram } from 'prom-client';
import { openEventStreams } from '#app/http/event-stream.server.ts';
import { cacheUses } from '#platform/bounded-cache.ts';
import { processRegistry } from '#platform/process-metrics.ts';

/** The web process's measurements. Durations are in seconds. */
export const registry = processRegistry();
const registers = [registry];

export const databaseWaits = new Histogram({
  name: 'keepsake_database_wait_seconds',
  help: 'How long a transaction waited until it began',
  buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10],
  registers,
});
export const answers = new Histogram({
  name: 'keepsake_request_seconds',
  help: 'How long a request took, by the class of its status',
  labelNames: ['status'] as const,
  buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 10],
  registers,
});
export const serverErrors = new Counter({
  name: 'keepsake_server_errors_total',
  help: 'Answers with a status of 500 or above, by status',
  labelNames: ['status'] as const,
  registers,
});
// An increase is seen only from a value on.
serverErrors.inc({ status: 500 }, 0);
export const twitchErrors = new Counter({
  name: 'keepsake_twitch_errors_total',
  help: 'Sign-ins with Twitch and links to it that failed, by code',
  labelNames: ['code'] as const,
  registers,
});
new Gauge({
  name: 'keepsake_cache_entries',
  help: 'Entries in each cache of the process, none of which grows beyond its bound',
  labelNames: ['cache'] as const,
  registers,
  collect() {
    for (const { name, entries } of cacheUses()) this.set({ cache: name }, entries);
  },
});
new Gauge({
  name: 'keepsake_event_streams',
  help: 'Open live pages',
  registers,
  collect() {
    this.set(openEventStreams());
  },
});
