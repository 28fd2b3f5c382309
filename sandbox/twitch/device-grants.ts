import { randomInt } from 'node:crypto';
import { randomWord } from './token-store.ts';

const lifetimeSeconds = 1800;
const codeLetters = 'BCDFGHJKLMNPQRSTVWXZ';

interface DeviceGrant {
  deviceCode: string;
  userCode: string;
  scopes: string[];
  expiresAtMs: number;
  /** Undefined if not decided yet, null if denied. */
  userId: string | null | undefined;
}

export type RedeemedDevice = { ok: true; userId: string; scopes: string[] } | { ok: false; message: string };

/** Device codes waiting for a decision on the activation page. Each works once, for half an hour. */
export function deviceGrants() {
  const grants = new Map<string, DeviceGrant>();
  const alive = (grant: DeviceGrant | undefined) =>
    grant && grant.expiresAtMs > Date.now() ? grant : undefined;
  const undecided = (userCode: string) => {
    const wanted = userCode.toUpperCase().replace(/[^A-Z]/g, '');
    const grant = alive([...grants.values()].find((one) => one.userCode === wanted));
    return grant?.userId === undefined ? grant : undefined;
  };
  return {
    begin(scopes: string[]) {
      const grant: DeviceGrant = {
        deviceCode: randomWord(40),
        userCode: Array.from({ length: 8 }, () => codeLetters[randomInt(codeLetters.length)]).join(''),
        scopes,
        expiresAtMs: Date.now() + lifetimeSeconds * 1000,
        userId: undefined,
      };
      grants.set(grant.deviceCode, grant);
      return { ...grant, lifetimeSeconds };
    },
    /** The scopes that an undecided code asks for; null when the code cannot be decided. */
    scopesOf(userCode: string): string[] | null {
      return undecided(userCode)?.scopes ?? null;
    },
    decide(userCode: string, userId: string | null): void {
      const grant = undecided(userCode);
      if (grant) grant.userId = userId;
    },
    redeem(deviceCode: string): RedeemedDevice {
      const grant = alive(grants.get(deviceCode));
      if (!grant) return { ok: false, message: 'invalid device code' };
      if (grant.userId === undefined) return { ok: false, message: 'authorization_pending' };
      grants.delete(deviceCode);
      if (grant.userId === null) return { ok: false, message: 'access_denied' };
      return { ok: true, userId: grant.userId, scopes: grant.scopes };
    },
  };
}
