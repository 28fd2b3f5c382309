// The share of a core that web and bot use while nothing happens: on an empty instance, and with 1,000 channels and
// 100,000 rewards. CPU time from Linux, over two minutes.
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { startIdleInstance, untilQuiet } from '#tests/benchmarks/idle-instance.ts';
import { rounded } from '#tests/benchmarks/measure.ts';

/** Per process, in percent of a core. */
const GOAL_PERCENT = 0.5;
const MEASURED_MS = 120_000;

export async function run() {
  // Both at once: CPU time is counted per process, and the large one mostly waits beforehand.
  const [large, empty] = await Promise.all([measure(1000), measure(0)]);
  const worst = Math.max(...Object.values(empty), ...Object.values(large));
  return {
    emptyWebPercent: empty.web,
    emptyBotPercent: empty.bot,
    webPercent: large.web,
    botPercent: large.bot,
    ratio: rounded(worst / GOAL_PERCENT),
  };
}

async function measure(channels: number): Promise<{ web: number; bot: number }> {
  const instance = await startIdleInstance(channels);
  try {
    await untilQuiet(instance);
    const before = { web: instance.cpuMsOf('web'), bot: instance.cpuMsOf('bot') };
    const begin = performance.now();
    await delay(MEASURED_MS);
    const passedMs = performance.now() - begin;
    const percentOf = (name: 'web' | 'bot') =>
      rounded(((instance.cpuMsOf(name) - before[name]) / passedMs) * 100);
    const percent = { web: percentOf('web'), bot: percentOf('bot') };
    console.log(`${channels} channels: web ${percent.web} %, bot ${percent.bot} % of a core`);
    return percent;
  } finally {
    await instance.stop();
  }
}
