import { checkMail } from './check-mail.ts';
import { checkSteam, receivedFrom } from './check-steam.ts';
import { checkPoints, checkWatchTime } from './check-twitch.ts';
import { checkStore } from './snapshots.ts';
import type { Stage } from './stage.ts';
import { readTruth } from './truth.ts';

/** Compares our records with the platforms, once everything has finished. Lists what differs. */
export async function compare(stage: Stage): Promise<string[]> {
  const { steam, twitch } = readTruth(stage.sandboxFolder);
  const inStore = await checkStore(stage, await receivedFrom(stage, steam));
  return [
    ...(inStore ? [inStore] : []),
    ...(await checkSteam(stage, steam)),
    ...(await checkPoints(stage, twitch)),
    ...(await checkWatchTime(stage)),
    ...(await checkMail(stage)),
    ...stage.processes.died,
    ...stage.api.failures,
  ];
}
