import { createHash } from 'node:crypto';
import { and, asc, desc, eq, inArray, ne } from 'drizzle-orm';
import type { Database, Reader, Tx } from '#db/database.ts';
import { isAmong } from '#db/dialect.ts';
import { type PushEnding, type PushEvent, pushDevices, pushEvents } from '#db/schema/push.ts';
import { newId } from '#domain/kernel/id.ts';
import { pushDevicesLock } from '#domain/kernel/locks.ts';
import { mutedEventsIn } from '#domain/push/push-events.ts';
import { queueOpenReminders } from '#domain/push/queue-pushes.ts';
import { hostOf, type PushSubscription } from '#domain/push/read-subscription.ts';

/** More than anyone carries; the one that was told least recently makes room. */
export const MAX_PUSH_DEVICES = 10;

/** A device as its owner sees it. */
export interface PushDevice {
  id: string;
  userAgent: string;
  events: PushEvent[];
  createdAtMs: number;
  lastSentAtMs: number | null;
  endedAtMs: number | null;
  ending: PushEnding | null;
  /** True if it was turned on in the session that asks. */
  isHere: boolean;
}

const hashOfEndpoint = (endpoint: string): string =>
  createHash('sha256').update(endpoint).digest('base64url');

/** The stored form of a subscription, also in place of an ended one. */
const written = (subscription: PushSubscription, publicKey: string) => ({
  endpointHash: hashOfEndpoint(subscription.endpoint),
  subscription: JSON.stringify(subscription),
  host: hostOf(subscription),
  publicKey,
  endedAtMs: null,
  ending: null,
});

/** Reads the subscription of a device; null once it has ended. */
export const subscriptionIn = (stored: string): PushSubscription | null =>
  stored === '' ? null : JSON.parse(stored);

interface Turned {
  userId: string;
  subscription: PushSubscription;
  publicKey: string;
  sessionHash: string | null;
  /** The hash of the browser's own id; null if it has none. */
  browserHash: string | null;
  userAgent: string;
}

/**
 * Turns notices on for a browser. A browser that is known, of whomever, becomes this account's; beyond the limit the
 * device that was told least recently goes.
 */
export async function turnPushOn(
  db: Database,
  { userId, subscription, publicKey, sessionHash, browserHash, userAgent }: Turned,
  nowMs: number,
): Promise<{ deviceId: string }> {
  return db.transaction(
    async (tx) => {
      const facts = { ...written(subscription, publicKey), sessionHash, browserHash, userAgent };
      const isIt = eq(pushDevices.endpointHash, facts.endpointHash);
      await tx.delete(pushDevices).where(and(isIt, ne(pushDevices.userId, userId)));
      const [known] = await tx.update(pushDevices).set(facts).where(isIt).returning({ id: pushDevices.id });
      if (known) {
        await queueOpenReminders(tx, userId, nowMs);
        return { deviceId: known.id };
      }
      const deviceId = newId(nowMs);
      await makeRoom(tx, userId);
      await tx.insert(pushDevices).values({ id: deviceId, userId, createdAtMs: nowMs, ...facts });
      await queueOpenReminders(tx, userId, nowMs);
      return { deviceId };
    },
    { lock: pushDevicesLock(userId) },
  );
}

async function makeRoom(tx: Tx, userId: string): Promise<void> {
  const known = await tx
    .select({ id: pushDevices.id, lastSentAtMs: pushDevices.lastSentAtMs, atMs: pushDevices.createdAtMs })
    .from(pushDevices)
    .where(eq(pushDevices.userId, userId));
  const [...byUse] = known.sort(
    (one, other) => (other.lastSentAtMs ?? other.atMs) - (one.lastSentAtMs ?? one.atMs),
  );
  const surplus = byUse.slice(MAX_PUSH_DEVICES - 1).map(({ id }) => id);
  if (surplus.length > 0) await tx.delete(pushDevices).where(inArray(pushDevices.id, surplus));
}

/**
 * Gives a device of this account the subscription that its browser has now. Returns false if the account has neither, as
 * after it was turned off: a browser alone turns nothing on.
 */
export async function renewPushDevice(
  db: Database,
  {
    userId,
    from,
    subscription,
    publicKey,
  }: Pick<Turned, 'userId' | 'subscription' | 'publicKey'> & { from: string },
  nowMs: number,
): Promise<boolean> {
  const facts = written(subscription, publicKey);
  const fromHash = hashOfEndpoint(from);
  return db.transaction(
    async (tx) => {
      const find = async (endpointHash: string) => {
        const isIt = and(eq(pushDevices.endpointHash, endpointHash), eq(pushDevices.userId, userId));
        return (await tx.select({ id: pushDevices.id }).from(pushDevices).where(isIt))[0];
      };
      const [former, present] = [await find(fromHash), await find(facts.endpointHash)];
      // It was turned on anew meanwhile.
      if (present) {
        if (former && former.id !== present.id)
          await tx.delete(pushDevices).where(eq(pushDevices.id, former.id));
        return true;
      }
      if (!former) return false;
      await tx.delete(pushDevices).where(eq(pushDevices.endpointHash, facts.endpointHash));
      await tx.update(pushDevices).set(facts).where(eq(pushDevices.id, former.id));
      await queueOpenReminders(tx, userId, nowMs);
      return true;
    },
    { lock: pushDevicesLock(userId) },
  );
}

/**
 * Chooses the events that a device is told of, among those that were offered: the choice of others stays. Returns whether the
 * account has the device.
 */
export async function setPushEvents(
  db: Database,
  {
    userId,
    deviceId,
    events,
    offered,
  }: { userId: string; deviceId: string; events: readonly string[]; offered: readonly PushEvent[] },
): Promise<boolean> {
  const isIt = and(eq(pushDevices.id, deviceId), eq(pushDevices.userId, userId));
  return db.transaction(
    async (tx) => {
      const [known] = await tx.select({ muted: pushDevices.mutedEvents }).from(pushDevices).where(isIt);
      if (!known) return false;
      const stay = mutedEventsIn(known.muted);
      const isMuted = (event: PushEvent) =>
        offered.includes(event) ? !events.includes(event) : stay.includes(event);
      await tx
        .update(pushDevices)
        .set({ mutedEvents: pushEvents.filter(isMuted).join(' ') })
        .where(isIt);
      return true;
    },
    { lock: pushDevicesLock(userId) },
  );
}

/** Turns a device off and forgets its endpoint. Doing it twice is the same. */
export async function turnPushOff(
  db: Database,
  { userId, deviceId }: { userId: string; deviceId: string },
): Promise<void> {
  await db.transaction((tx) =>
    tx.delete(pushDevices).where(and(eq(pushDevices.id, deviceId), eq(pushDevices.userId, userId))),
  );
}

/** Lists an account's devices, newest first. */
export async function listPushDevices(
  read: Reader,
  { userId, sessionHash }: { userId: string; sessionHash: string | null },
): Promise<PushDevice[]> {
  const rows = await read
    .select({
      id: pushDevices.id,
      userAgent: pushDevices.userAgent,
      mutedEvents: pushDevices.mutedEvents,
      createdAtMs: pushDevices.createdAtMs,
      lastSentAtMs: pushDevices.lastSentAtMs,
      endedAtMs: pushDevices.endedAtMs,
      ending: pushDevices.ending,
      sessionHash: pushDevices.sessionHash,
    })
    .from(pushDevices)
    .where(eq(pushDevices.userId, userId))
    .orderBy(desc(pushDevices.createdAtMs), asc(pushDevices.id));
  return rows.map(({ mutedEvents, sessionHash: own, ...device }) => {
    const muted = mutedEventsIn(mutedEvents);
    return {
      ...device,
      events: pushEvents.filter((event) => !muted.includes(event)),
      isHere: own !== null && own === sessionHash,
    };
  });
}

/** Turns off the devices that sessions turned on, in the transaction that ends these. */
export async function turnPushOffWith(tx: Tx, sessionHashes: readonly string[]): Promise<void> {
  if (sessionHashes.length > 0)
    await tx.delete(pushDevices).where(isAmong(pushDevices.sessionHash, sessionHashes));
}

/**
 * Gives the devices that a session turned on to the one that takes its place in the same browser, in the transaction that
 * does so. Those of another account are turned off: somebody else signs in there.
 */
export async function handPushOver(
  tx: Tx,
  { from, to, userId }: { from: string; to: string; userId: string },
): Promise<void> {
  const isOwn = and(eq(pushDevices.sessionHash, from), eq(pushDevices.userId, userId));
  await tx.update(pushDevices).set({ sessionHash: to }).where(isOwn);
  await turnPushOffWith(tx, [from]);
}

/**
 * Gives the devices of a browser to the session that begins there, in the transaction that opens it, also where no session
 * is left that could be replaced. Those of other accounts are turned off: a lock screen would go on showing theirs.
 */
export async function claimBrowserForPush(
  tx: Tx,
  { browserHash, sessionHash, userId }: { browserHash: string; sessionHash: string; userId: string },
): Promise<void> {
  const isHere = eq(pushDevices.browserHash, browserHash);
  await tx.delete(pushDevices).where(and(isHere, ne(pushDevices.userId, userId)));
  await tx.update(pushDevices).set({ sessionHash }).where(isHere);
}

/** Turns off an account's devices but those of one session, in the transaction that ends the others. */
export async function turnPushOffElsewhere(
  tx: Tx,
  { userId, sessionHash }: { userId: string; sessionHash: string | null },
): Promise<void> {
  const devices = await tx
    .select({ id: pushDevices.id, own: pushDevices.sessionHash })
    .from(pushDevices)
    .where(eq(pushDevices.userId, userId));
  const others = devices.filter(({ own }) => sessionHash === null || own !== sessionHash).map(({ id }) => id);
  if (others.length > 0) await tx.delete(pushDevices).where(inArray(pushDevices.id, others));
}
