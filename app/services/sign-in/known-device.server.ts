import { createHmac, randomBytes } from 'node:crypto';
import { createCookie } from 'react-router';
import { z } from 'zod';
import { config } from '#app/config.server.ts';
import { ownCookie } from '#app/http/own-cookie.server.ts';
import { database } from '#app/services/database.server.ts';
import { deviceSubject } from '#domain/identity/session/device-subject.ts';
import { day, second } from '#domain/kernel/time.ts';

/** Households and internet cafés: of more accounts in one browser, the last are known. */
const MAX_ACCOUNTS = 5;
const LIFETIME_MS = 365 * day;

const DeviceSchema = z.object({ id: z.string(), accounts: z.array(z.string()) });
type Device = z.infer<typeof DeviceSchema>;

/** It gives no access: a browser that has signed in to an account has its own attempts at the password. */
const deviceCookie = () => ownCookie('keepsake_device', { maxAge: LIFETIME_MS / second, isSigned: true });
/**
 * The cookie's earlier name with https, before it was bound to this host alone. Its content is signed, so it
 * still counts.
 */
const earlierCookie = () => createCookie('keepsake_device', { secrets: [config().sessionSecret] });

/** The cookie names no account: it holds a keyed hash, which differs in each browser and with each password. */
const markOf = (id: string, subject: string): string =>
  createHmac('sha256', config().sessionSecret).update(`device:${id}:${subject}`).digest('base64url');

async function deviceOf(request: Request): Promise<Device | null> {
  const sent = request.headers.get('Cookie');
  const value: unknown = (await deviceCookie().parse(sent)) ?? (await earlierCookie().parse(sent));
  return DeviceSchema.safeParse(value).data ?? null;
}

/** The id of a browser that has signed in to this account under its present password; null for others. */
export async function knownDevice(request: Request, email: string): Promise<string | null> {
  const device = await deviceOf(request);
  if (!device) return null;
  const subject = await deviceSubject((await database()).read, { email });
  return subject !== null && device.accounts.includes(markOf(device.id, subject)) ? device.id : null;
}

/** Tells for which accounts a browser is remembered, by their subjects. */
export async function isKnownBy(request: Request): Promise<(subject: string) => boolean> {
  const device = await deviceOf(request);
  return (subject) => device?.accounts.includes(markOf(device.id, subject)) ?? false;
}

/** The id of the browser, whichever accounts signed in there; null for one where nobody did. */
export const browserIdOf = async (request: Request): Promise<string | null> =>
  (await deviceOf(request))?.id ?? null;

/** Adds the cookie that remembers that this browser signed in to this account. */
export async function rememberDevice(request: Request, userId: string, headers: Headers): Promise<void> {
  const subject = await deviceSubject((await database()).read, { userId });
  if (subject === null) return;
  const { id, accounts } = (await deviceOf(request)) ?? {
    id: randomBytes(16).toString('base64url'),
    accounts: [],
  };
  const mark = markOf(id, subject);
  const others = accounts.filter((each) => each !== mark);
  const device: Device = { id, accounts: [...others, mark].slice(-MAX_ACCOUNTS) };
  headers.append('Set-Cookie', await deviceCookie().serialize(device));
}
