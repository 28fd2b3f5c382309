import { Gauge } from 'prom-client';
import { registry } from '#bot/metrics.ts';
import type { ListedWork } from '#domain/bot/list-work.ts';

const registers = [registry];
const held = new Gauge({
  name: 'keepsake_leases',
  help: 'Leases of parts of the work that the process at this address has',
  labelNames: ['part', 'address'] as const,
  registers,
});
const left = new Gauge({
  name: 'keepsake_lease_left_seconds',
  help: 'Time after which another process takes over, unless the leases are renewed',
  labelNames: ['part', 'address'] as const,
  registers,
});
const free = new Gauge({
  name: 'keepsake_leases_free',
  help: 'Leases of parts of the work that nobody has',
  labelNames: ['part'] as const,
  registers,
});
const epochs = new Gauge({
  name: 'keepsake_lease_epochs',
  help: 'Times that the leases of a part of the work have come to another process, ever',
  labelNames: ['part'] as const,
  registers,
});

/** Measures who does which part of the bot's work; each process measures the same of all. */
export function measureWork(listed: readonly ListedWork[]): void {
  for (const gauge of [held, left, free, epochs]) gauge.reset();
  for (const { kind: part, holder, address, leases, leftMs, epochs: taken } of listed) {
    epochs.inc({ part }, taken);
    free.inc({ part }, holder === null ? leases : 0);
    if (holder === null) continue;
    held.inc({ part, address }, leases);
    left.set({ part, address }, leftMs / 1000);
  }
}
