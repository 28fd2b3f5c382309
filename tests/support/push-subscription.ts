import { createECDH, randomBytes } from 'node:crypto';
import type { Database } from '#db/database.ts';
import { turnPushOn } from '#domain/push/push-devices.ts';
import { ensurePushKeys } from '#domain/push/push-keys.ts';

/** A subscription as a browser makes it, at a push service that nobody asks. */
export function makePushSubscription(endpoint = `https://push.example/${randomBytes(8).toString('hex')}`) {
  const p256dh = createECDH('prime256v1').generateKeys().toString('base64url');
  return { endpoint, p256dh, auth: randomBytes(16).toString('base64url') };
}

/** Notices on a device of an account; returns the device's id. */
export async function turnOnFor(
  db: Database,
  {
    userId,
    userAgent = '',
    sessionHash = null,
  }: { userId: string; userAgent?: string; sessionHash?: string | null },
  nowMs: number,
): Promise<string> {
  const { publicKey } = await ensurePushKeys(
    db,
    () => ({ publicKey: 'public', privateKey: 'private' }),
    nowMs,
  );
  const browser = {
    subscription: makePushSubscription(),
    publicKey,
    sessionHash,
    browserHash: null,
    userAgent,
  };
  return (await turnPushOn(db, { userId, ...browser }, nowMs)).deviceId;
}
