import { join } from 'node:path';
import { announceBot } from '#bot/announce.ts';
import { watchChanges } from '#bot/changes.ts';
import { loadBotConfiguration } from '#bot/config.ts';
import type { BotDeps } from '#bot/deps.ts';
import { Leases, newHolder, partElsewhere } from '#bot/leases.ts';
import { createLog } from '#bot/log.ts';
import { databaseWaits } from '#bot/metrics.ts';
import { build } from '#bot/server.ts';
import { SharedSlots } from '#bot/slots.ts';
import { startSteam, steamPace, steamWhileHeld } from '#bot/steam/start-steam.ts';
import { watchedChannelsOf } from '#bot/twitch/channel/watched-channels.ts';
import { usualPace } from '#bot/twitch/pace/twitch-pace.ts';
import { startTwitch, twitchWhileHeld } from '#bot/twitch/start-twitch.ts';
import { watchInSlots } from '#bot/twitch/start-watching.ts';
import { watchDisk } from '#bot/watch-disk.ts';
import { watchRoles } from '#bot/watch-roles.ts';
import { startAnswerWatch } from '#bot/workers/start-answer-watch.ts';
import { startBilling } from '#bot/workers/start-billing.ts';
import { startHousekeeping } from '#bot/workers/start-housekeeping.ts';
import { startMails } from '#bot/workers/start-mails.ts';
import { startPushes } from '#bot/workers/start-pushes.ts';
import { openDatabase } from '#db/database.ts';
import { measureWaits } from '#db/engine/measured-waits.ts';
import { isKeyOfDatabase, keyFaults, wordsOf } from '#db/engine/prove-key.ts';
import { OUTDATED } from '#db/engine/store-refused.ts';
import { workLimits } from '#db/engine/time-limits.ts';
import { newestKnownStep } from '#db/migrate.ts';
import { roleOf } from '#domain/bot/role-of.ts';
import { availableHost } from '#platform/available-host.ts';
import { openClock } from '#platform/clock.ts';
import { closeDataFolder } from '#platform/close-data-folder.ts';
import { logForeignLines } from '#platform/process-log.ts';
import { endOnUnhandledErrors } from '#platform/unhandled-errors.ts';
import { createVault } from '#platform/vault.ts';
import { readVersion } from '#platform/version.ts';

/** Work still running after this goes to another process when its lease ends. */
const STOP_TIMEOUT_MS = 10_000;

const config = loadBotConfiguration();
const log = createLog(config.logLevel);
logForeignLines(log);
closeDataFolder(config.dataFolder);
const vault = createVault(Buffer.from(config.encryptionKey, 'hex').toString('base64'));
const opened = await openDatabase(
  { databaseUrl: config.databaseUrl ?? undefined, file: join(config.dataFolder, 'keepsake.db') },
  vault,
  workLimits,
);
const isOwnKey = await isKeyOfDatabase(opened, vault).catch((err: unknown) => {
  log.warn({ err }, 'could not compare the encryption key with the database');
  return true;
});
if (!isOwnKey) {
  log.fatal(wordsOf(keyFaults.wrong));
  process.exit(1);
}
const db = measureWaits(opened, (seconds) => databaseWaits.observe(seconds));
const clock = await openClock(config.clockUrl?.href);
const changes = watchChanges({ db, clock, log });
const { version } = readVersion();
const deps: BotDeps = { config, db, clock, changes, vault, log, version };

const holder = { holder: newHolder(), address: config.botUrl.href, version };
const announced = await announceBot(deps, { id: holder.holder, schema: newestKnownStep() }, () => {
  log.fatal(OUTDATED);
  void stop('outdated').then(() => process.exit(1));
});
if (!announced) {
  log.fatal(OUTDATED);
  process.exit(1);
}
const { end: withdraw } = announced;
const leases = new Leases(deps, holder);
const watched = watchedChannelsOf(db);
/** Runs a part of one of this process's roles while it has the lease, and leaves the others to other processes. */
const leased: Leases['whileHeld'] = (name, names, start) =>
  config.roles.has(roleOf(name)) ? leases.whileHeld(name, names, start) : partElsewhere(names);
const twitch = twitchWhileHeld(
  deps,
  leased('twitch:0', ['twitch', 'chat'], (held) => startTwitch(held, usualPace, watched)),
);
const watching = config.roles.has('twitch')
  ? watchInSlots(deps, new SharedSlots(deps, holder), watched)
  : partElsewhere(['watching']);
const steam = steamWhileHeld(
  leased('steam', ['steam'], (held) => startSteam(held, steamPace, twitch.readStanding)),
);
const workers = [
  leased('housekeeping', [], startHousekeeping),
  leased('billing', ['billing'], startBilling),
  leased('mails', ['mail'], startMails),
  leased('pushes', ['push'], startPushes),
];
const watches = [startAnswerWatch(deps), watchDisk(deps), watchRoles(deps)];
const parts = [steam, twitch, watching, ...workers, ...watches];
const server = build({ config, clock, db, log, steam, twitch, parts });
let stopping: Promise<void> | null = null;
function stop(signal: string): Promise<void> {
  stopping ??= stopAll(signal);
  return stopping;
}
async function stopAll(signal: string) {
  log.info({ signal }, 'stopping the bot');
  setTimeout(() => {
    log.error('shutdown timed out; exiting');
    process.exit(1);
  }, STOP_TIMEOUT_MS).unref();
  // Side by side: a request may wait for Steam for longer than a lease should.
  await Promise.all([server.close(), ...parts.map((part) => part.stop())]);
  await leases.stop();
  await withdraw();
  changes.stop();
  clock.stop();
  await db.close();
  log.info('the bot has stopped');
}
for (const signal of ['SIGTERM', 'SIGINT'] as const)
  process.on(signal, () => void stop(signal).then(() => process.exit(0)));
endOnUnhandledErrors(
  (err, event) => log.fatal({ err, event }, 'an error that nobody handled; ending'),
  () => stop('error'),
);

const address = await server.listen({ host: await availableHost(config.host), port: config.port });
log.info({ address }, 'the bot is listening');
