import type { Database } from '#db/database.ts';
import { accessRequests } from '#db/schema/access.ts';
import {
  ACCESS_REQUEST_LIFETIME_MS,
  ASKING_PAUSE_MS,
  hashOfDeviceCode,
  hashOfUserCode,
  newUserCode,
} from './access-request.ts';
import { newSecretToken } from './secret-token.ts';

/** A request for access as its program is told of it. */
export interface AskedAccess {
  /** The secret by which the program asks what was decided. */
  deviceCode: string;
  /** The code that the program shows, and somebody compares. */
  userCode: string;
  lifetimeMs: number;
  pauseMs: number;
}

/** A short code is hardly ever taken: three taken ones in a row mean a fault. */
const MAX_DRAWS = 3;

/** Opens a request for access by a program without a keyboard (RFC 8628, 3.1). Whoever it is for is not known yet. */
export async function requestAccess(
  db: Database,
  { program }: { program: string },
  nowMs: number,
): Promise<AskedAccess> {
  for (let draw = 1; draw <= MAX_DRAWS; draw++) {
    const [deviceCode, userCode] = [newSecretToken(), newUserCode()];
    const opened = await db.transaction((tx) =>
      tx
        .insert(accessRequests)
        .values({
          deviceCodeHash: hashOfDeviceCode(deviceCode),
          userCodeHash: hashOfUserCode(userCode),
          program,
          createdAtMs: nowMs,
          expiresAtMs: nowMs + ACCESS_REQUEST_LIFETIME_MS,
          pauseMs: ASKING_PAUSE_MS,
        })
        .onConflictDoNothing({ target: accessRequests.userCodeHash })
        .returning({ program: accessRequests.program }),
    );
    if (opened.length > 0)
      return { deviceCode, userCode, lifetimeMs: ACCESS_REQUEST_LIFETIME_MS, pauseMs: ASKING_PAUSE_MS };
  }
  throw new Error('no unused code found for a request for access');
}
