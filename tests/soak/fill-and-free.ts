import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { loadSqliteDriver } from '#db/engine/sqlite-driver.ts';
import type { SmallDisk } from './small-disk.ts';
import type { Stage } from './stage.ts';

const CHECK_MS = 1000;
/** Freed blocks of the database take rows for a while. */
const REPORTED_WITHIN_MS = 180_000;
/** A whole check of the store may have been shared for this long, and the bot looks again by itself. */
const MENDED_WITHIN_MS = 60_000;

/** The findings of a time with a full disk. */
export interface Fullness {
  isOver: boolean;
  fullMs: number;
  /** After how long each place said so; null if it never did. */
  reportedAfterMs: { readyz: number | null; webDeep: number | null; botDeep: number | null };
  /** The times that `/healthz` of web did not answer with 200: it runs, and a restart would not help. */
  unhealthy: number;
  /** Answers with an error meanwhile. */
  errors: string[];
  /** The time after the disk was freed until all three reported that all is well; null if they never did. */
  mendedAfterMs: number | null;
}

/** Fills the disk for a time, and frees it; meanwhile everything asks the product how it is. */
export async function fillAndFree(
  stage: Stage,
  { disk, forMs, fullness }: { disk: SmallDisk; forMs: number; fullness: Fullness[] },
): Promise<void> {
  const reported: Fullness['reportedAfterMs'] = { readyz: null, webDeep: null, botDeep: null };
  const here: Fullness = {
    isOver: false,
    fullMs: 0,
    reportedAfterMs: reported,
    unhealthy: 0,
    errors: [],
    mendedAfterMs: null,
  };
  fullness.push(here);
  const failuresBefore = stage.api.failures.length;
  const releaseLog = await holdLog(disk.folder);
  const beginMs = Date.now();
  disk.fill();
  const isSilent = () => Object.values(reported).includes(null) && Date.now() < beginMs + REPORTED_WITHIN_MS;
  while (Date.now() < beginMs + forMs || isSilent()) {
    const seen = await checkAll(stage);
    for (const place of ['readyz', 'webDeep', 'botDeep'] as const)
      if (seen[place] === 'full') reported[place] ??= Date.now() - beginMs;
    if (!seen.isUp) here.unhealthy += 1;
    await delay(CHECK_MS);
  }
  here.fullMs = Date.now() - beginMs;
  releaseLog();
  disk.free();
  const freedMs = Date.now();
  while (here.mendedAfterMs === null && Date.now() < freedMs + MENDED_WITHIN_MS) {
    const { readyz, webDeep, botDeep } = await checkAll(stage);
    if ([readyz, webDeep, botDeep].every((state) => state === 'fine'))
      here.mendedAfterMs = Date.now() - freedMs;
    else await delay(CHECK_MS);
  }
  here.errors.push(...stage.api.failures.splice(failuresBefore));
  here.isOver = true;
}

/** Lists what a full disk should have shown and did not. */
export function faultsWhileFull({ reportedAfterMs, unhealthy, mendedAfterMs }: Fullness): string[] {
  const silent = Object.entries(reportedAfterMs).filter(([, afterMs]) => afterMs === null);
  return [
    ...silent.map(([place]) => `${place} never said that the disk is full`),
    ...(unhealthy > 0 ? [`/healthz did not answer with 200 ${unhealthy} times while the disk was full`] : []),
    ...(mendedAfterMs === null ? ['the product did not mend itself after the disk was freed'] : []),
  ];
}

/** A reader keeps SQLite from writing over its log, so that the next writes need new room. */
async function holdLog(folder: string): Promise<() => void> {
  const BetterSqlite = await loadSqliteDriver();
  const store = new BetterSqlite(join(folder, 'keepsake.db'), { readonly: true });
  store.exec('begin');
  store.prepare('select count(*) from users').get();
  return () => store.close();
}

type State = 'fine' | 'full' | 'unknown';

async function checkAll({ webUrl, bot }: Stage) {
  const headers = { 'X-Bot-Secret': bot.secret };
  const [up, webDeep, botDeep, ready] = await Promise.all([
    ask(`${webUrl}/healthz`),
    ask(`${webUrl}/healthz?deep`),
    ask(`${bot.url}/healthz?deep`, headers),
    ask(`${bot.url}/readyz`, headers),
  ]);
  const deepState = (status: number): State =>
    status === 200 ? 'fine' : status === 503 ? 'full' : 'unknown';
  return {
    isUp: up.status === 200,
    webDeep: deepState(webDeep.status),
    botDeep: deepState(botDeep.status),
    readyz: diskStateIn(ready.text),
  };
}

function diskStateIn(text: string): State {
  const state = /"disk":\{"state":"(\w+)"/.exec(text)?.[1];
  return state === 'ready' ? 'fine' : state === 'faulty' ? 'full' : 'unknown';
}

async function ask(url: string, headers: Record<string, string> = {}) {
  try {
    const answer = await fetch(url, { headers, signal: AbortSignal.timeout(10_000) });
    return { status: answer.status, text: await answer.text() };
  } catch {
    return { status: 0, text: '' };
  }
}
