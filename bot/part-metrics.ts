import { Gauge } from 'prom-client';
import type { PartReport } from '#bot/deps.ts';
import { registry } from '#bot/metrics.ts';

const registers = [registry];
export const botReady = new Gauge({
  name: 'keepsake_bot_ready',
  help: 'Whether a trade bot is logged on to Steam and leased by this process',
  labelNames: ['bot'] as const,
  registers,
});
const partReady = new Gauge({
  name: 'keepsake_part_ready',
  help: 'Whether a part of the bot process is ready; one that is off is not measured',
  labelNames: ['part'] as const,
  registers,
});

const BOT_PART = 'steam: ';

/** Measures what the parts of this process report. Each trade bot is measured by its name. */
export function measureParts(reports: Record<string, PartReport>): void {
  for (const gauge of [botReady, partReady]) gauge.reset();
  for (const [part, { state }] of Object.entries(reports)) {
    if (state === 'off') continue;
    const value = state === 'ready' ? 1 : 0;
    if (part.startsWith(BOT_PART)) botReady.set({ bot: part.slice(BOT_PART.length) }, value);
    else partReady.set({ part }, value);
  }
}
