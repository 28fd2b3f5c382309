import { setTimeout as delay } from 'node:timers/promises';
import type { Stage } from '../soak/stage.ts';
import type { Front } from './front.ts';
import { type ClusterLayout, webs } from './layout.ts';

const CALLERS = 4;
const PAUSE_MS = 15;
const DEADLINE_MS = 30_000;

export interface RollingResult {
  requests: number;
  failed: string[];
}

/** Replaces the web processes one after another, from the build in a folder if one is given, while people call. */
export async function rollWeb(
  stage: Stage,
  { front, layout, installation }: { front: Front; layout: ClusterLayout; installation?: string | undefined },
): Promise<RollingResult> {
  const calling = startCalling(stage);
  const repeatedBefore = stage.api.repeated;
  for (const name of webs) {
    await front.drain(name);
    await stage.processes.stop(name);
    if (installation) stage.processes.upgrade(name, installation);
    stage.processes.start(name);
    await stage.processes.untilHealthy(name, `${layout.urlOf(name)}/healthz`);
    await front.undrain(name);
  }
  const result = await calling.end();
  const lost = stage.api.repeated - repeatedBefore;
  if (lost > 0) result.failed.push(`${lost} calls of the API had to be repeated`);
  return result;
}

/** People who read pages, and programs that read the API, one request after another. */
function startCalling({ webUrl, viewers, streamers }: Stage) {
  const result: RollingResult = { requests: 0, failed: [] };
  let isOver = false;
  const everybody = [...viewers, ...streamers];
  const call = async (caller: number) => {
    for (let turn = caller; !isOver; turn += CALLERS) {
      const person = everybody[turn % everybody.length];
      const path = ['/', '/api/v1/items', '/healthz?deep', '/auth/signin'][turn % 4] ?? '/';
      const headers = { authorization: `Bearer ${person?.token}`, accept: 'application/json' };
      result.requests += 1;
      try {
        const response = await fetch(new URL(path, webUrl), {
          ...(path.startsWith('/api/') && { headers }),
          signal: AbortSignal.timeout(DEADLINE_MS),
        });
        await response.text();
        if (response.status >= 400) result.failed.push(`${path}: ${response.status}`);
      } catch (error) {
        result.failed.push(`${path}: ${error instanceof Error ? (error.cause ?? error) : error}`);
      }
      await delay(PAUSE_MS);
    }
  };
  const all = Promise.all(Array.from({ length: CALLERS }, (_, caller) => call(caller + 1)));
  return {
    async end(): Promise<RollingResult> {
      isOver = true;
      await all;
      return result;
    },
  };
}
