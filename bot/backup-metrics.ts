import { Gauge } from 'prom-client';
import { registry } from '#bot/metrics.ts';
import { type BackupStatus, isAhead } from '#platform/backup-status.ts';

const labelNames = ['command'] as const;
const age = new Gauge({
  name: 'keepsake_backup_age_seconds',
  help: 'The age of the last backup and of the last drill, however they ended; infinite if there was none',
  labelNames,
  registers: [registry],
});
const failed = new Gauge({
  name: 'keepsake_backup_failed',
  help: 'Whether the last backup and the last drill failed',
  labelNames,
  registers: [registry],
});

/** Measures backups by their status; null if somebody else makes those of this instance. */
export function measureBackups(status: BackupStatus | null, systemMs: number): void {
  for (const gauge of [age, failed]) gauge.reset();
  if (!status) return;
  for (const command of ['backup', 'drill'] as const) {
    const last = status[command];
    // A time ahead of the clock is not usable.
    const isKnown = last !== null && !isAhead(last.atMs, systemMs);
    age.set({ command }, isKnown ? Math.max(0, (systemMs - last.atMs) / 1000) : Number.POSITIVE_INFINITY);
    failed.set({ command }, last !== null && last.problem !== null ? 1 : 0);
  }
}
