import { setTimeout as delay } from 'node:timers/promises';
import type { LeasedDeps } from '#bot/leases.ts';
import { pushResults } from '#bot/metrics.ts';
import { PER_HOST, type PushClient } from '#bot/push/push-client.ts';
import { payloadOf, topicOf } from '#bot/push/push-texts.ts';
import { second } from '#domain/kernel/time.ts';
import { isMakersHost, type LeasedPush, leasePushes, listDueHosts } from '#domain/push/lease-pushes.ts';
import { subscriptionIn } from '#domain/push/push-devices.ts';
import { careOf } from '#domain/push/push-events.ts';
import { LONGEST_PAUSE_MS, type PushResult, reportPushes } from '#domain/push/report-push.ts';
import { preparePush } from '#domain/view/prepare-push.ts';
import { boundedCache } from '#platform/bounded-cache.ts';
import { steadyMs } from '#platform/steady-time.ts';

/** Notices leased at once: as many as leave a push service, each within its deadline, well before the lease ends. */
const BATCH = 10 * PER_HOST;
/** The notices of a full batch begin this far apart, so that many leave the machine and the push service time for others. */
const APART_MS = 5.5;
/** Push services that are sent to at the same time, and those among them that are not a browser maker's: anybody can run many. */
const [MAX_HOSTS, MAX_OTHER_HOSTS] = [20, 8];
/** A push service that asked for fewer, or did not answer, gets nothing for at least this long. */
const REST_MS = 30 * second;

interface Sender {
  deps: LeasedDeps;
  client: PushClient;
  publicKey: string;
  signal: AbortSignal;
}

/** Sends what is due, to each push service in its own turns. */
export interface PushSender {
  /** Begins with push services that nothing is being sent to, and returns at once. `done` is called when one is through. */
  begin(done: () => void): Promise<void>;
  /** Resolves when nothing is on its way any more. */
  settled(): Promise<void>;
}

/** Makes the sender of a lease's epoch. */
export function createPushSender(sender: Sender): PushSender {
  const running = new Map<string, Promise<void>>();
  const rests = boundedCache<string, { untilMs: number }>('resting push services', 500);
  const { deps, signal } = sender;
  const isResting = (host: string) => (rests.get(host)?.untilMs ?? 0) > steadyMs();

  const ownHost = deps.config.pushServiceUrl?.host;
  const isOther = (host: string) => host !== ownHost && !isMakersHost(host);

  async function begin(done: () => void): Promise<void> {
    if (running.size >= MAX_HOSTS || signal.aborted) return;
    const except = [...running.keys(), ...rests.keys().filter(isResting)];
    const hosts = await listDueHosts(
      deps.db.read,
      { except, limit: MAX_HOSTS * 5 },
      deps.clock.now(),
      Date.now(),
    );
    for (const host of hosts) {
      if (running.size >= MAX_HOSTS) break;
      if (isOther(host) && [...running.keys()].filter(isOther).length >= MAX_OTHER_HOSTS) continue;
      const work = serveHost(sender, host, (restMs) => rests.set(host, { untilMs: steadyMs() + restMs }))
        .catch((err) => deps.log.error({ err, host }, 'notices could not be sent; they stay due'))
        .finally(() => {
          running.delete(host);
          done();
        });
      running.set(host, work);
    }
  }
  return {
    begin,
    async settled() {
      await Promise.all(running.values());
    },
  };
}

/** Sends to one push service until nothing is due there, or it needs a rest. */
async function serveHost(sender: Sender, host: string, rest: (ms: number) => void): Promise<void> {
  const { deps, signal } = sender;
  const { db, clock, log, lease } = deps;
  while (!signal.aborted && lease.isHeld()) {
    const leased = await leasePushes(db, { host, limit: BATCH }, clock.now(), Date.now());
    if (leased.length === 0) return;
    const reports = await sendBatch(sender, leased);
    // Results are stored even if the lease is lost: else the next holder sends it again.
    await reportPushes(lease.store, reports, clock.now());
    for (const { result } of reports) pushResults.inc({ result: result.kind });
    if (!takesNoMore(reports)) continue;
    const refusals = failuresIn(reports);
    log.warn(
      { host, refused: refusals.length, of: reports.length, error: refusals[0]?.result.error },
      'a push service takes no more',
    );
    const askedMs = Math.max(REST_MS, ...refusals.map(({ result: { afterMs = 0 } }) => afterMs));
    return rest(Math.min(askedMs, LONGEST_PAUSE_MS));
  }
}

type Report = { push: LeasedPush; result: PushResult };

const failuresIn = (reports: readonly Report[]) =>
  reports.flatMap(({ push, result }) =>
    result.kind === 'later' && !result.isOfOne ? [{ deviceId: push.deviceId, result }] : [],
  );

/** A push service that asks for fewer, or fails for all. One device, whose address anybody may have made up, says nothing of it. */
function takesNoMore(reports: readonly Report[]): boolean {
  const failures = failuresIn(reports);
  if (failures.some(({ result }) => result.isOfAll)) return true;
  const isTaking = reports.some(({ result }) => result.kind === 'sent');
  return !isTaking && new Set(failures.map(({ deviceId }) => deviceId)).size >= 2;
}

/** Sends a batch, a few at a time, and leaves the rest for later once the push service takes no more. */
async function sendBatch(sender: Sender, leased: readonly LeasedPush[]): Promise<Report[]> {
  const reports: Report[] = [];
  const waiting = [...leased];
  const { clock, lease } = sender.deps;
  const beganAtMs = steadyMs();
  const apartMs = leased.length === BATCH ? APART_MS : 0;
  const one = async () => {
    for (let push = waiting.shift(); push; push = waiting.shift()) {
      const index = leased.length - waiting.length - 1;
      const earlyMs = beganAtMs + index * apartMs - steadyMs();
      if (earlyMs > 0 && !takesNoMore(reports)) await delay(earlyMs);
      const isOver = takesNoMore(reports) || sender.signal.aborted || !lease.isHeld();
      const result: PushResult = isOver
        ? dueAtOnce(push, clock.now())
        : await sendOne(sender, push).catch((err) => failed(sender, push, err));
      reports.push({ push, result });
    }
  };
  await Promise.all(Array.from({ length: PER_HOST }, one));
  return reports;
}

/** Leaves a notice to whoever has the lease. Nothing of it has left this process, so that it is no attempt. */
const dueAtOnce = ({ runAtMs }: LeasedPush, nowMs: number): PushResult => ({
  kind: 'putOff',
  dueAtMs: Math.max(runAtMs, nowMs),
});

/** One notice that cannot be prepared keeps no other of its batch from being reported. */
function failed({ deps }: Sender, { id }: LeasedPush, err: unknown): PushResult {
  deps.log.error({ err, push: id }, 'a notice could not be prepared; it is tried again later');
  return { kind: 'later', error: 'it could not be prepared', isOfOne: true };
}

async function sendOne({ deps, client, publicKey }: Sender, push: LeasedPush): Promise<PushResult> {
  const { db, clock, config, lease } = deps;
  const subscription = subscriptionIn(push.device.subscription);
  if (!subscription) return { kind: 'dropped', error: 'the device has ended' };
  if (push.device.publicKey !== publicKey)
    return { kind: 'ended', ending: 'otherKey', error: 'it subscribed with another key' };
  const nowMs = clock.now();
  const prepared = await preparePush(db.read, push, nowMs, Date.now());
  if (!prepared.due)
    return prepared.reason === 'later'
      ? { kind: 'putOff', dueAtMs: prepared.dueAtMs }
      : { kind: 'dropped', error: prepared.reason };
  const { facts } = prepared;
  const { maxAgeMs, urgency } = careOf[push.event];
  const ageMs = Math.min(maxAgeMs, (facts.untilMs ?? Number.POSITIVE_INFINITY) - nowMs);
  const ttlS = Math.max(0, Math.floor(ageMs / second));
  const payload = payloadOf(facts, config.publicUrl);
  const topic = topicOf(facts);
  const { isHeld: mayBegin } = lease;
  const toSend = { subscription, payload, ttlS, urgency, topic, mayBegin };
  const result = await client.send(toSend, Date.now());
  return result.kind === 'tooLate' ? dueAtOnce(push, clock.now()) : result;
}
