import type { Database, Reader } from '#db/database.ts';
import { pushKeys } from '#db/schema/push.ts';

/** The key pair by which push services know this instance, in base64url. */
export interface PushKeys {
  publicKey: string;
  privateKey: string;
}

const ONLY = 'vapid';

/** Returns the key that browsers subscribe with, and null before the first start of a bot. */
export async function findPublicPushKey(read: Reader): Promise<string | null> {
  const [found] = await read.select({ publicKey: pushKeys.publicKey }).from(pushKeys);
  return found?.publicKey ?? null;
}

/** Returns the instance's keys, and null before the first start of a bot. */
export async function findPushKeys(db: Database): Promise<PushKeys | null> {
  const [found] = await db.read
    .select({ publicKey: pushKeys.publicKey, privateKey: pushKeys.privateKey })
    .from(pushKeys);
  return found ?? null;
}

/**
 * Returns the instance's keys, which `make` makes the first time. They are never made anew: every browser that
 * subscribed with the old ones would have to be visited again.
 */
export async function ensurePushKeys(db: Database, make: () => PushKeys, nowMs: number): Promise<PushKeys> {
  const known = await findPushKeys(db);
  if (known) return known;
  await db.transaction((tx) =>
    tx
      .insert(pushKeys)
      .values({ id: ONLY, ...make(), createdAtMs: nowMs })
      .onConflictDoNothing(),
  );
  const made = await findPushKeys(db);
  if (!made) throw new Error('the keys for push were not stored');
  return made;
}
