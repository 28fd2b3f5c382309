import { data, redirect } from 'react-router';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { browserIdOf } from '#app/services/sign-in/known-device.server.ts';
import { sessionToken } from '#app/services/sign-in/session.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { hashOf } from '#domain/identity/access/secret-token.ts';
import { renewPushDevice, setPushEvents, turnPushOff, turnPushOn } from '#domain/push/push-devices.ts';
import { findPublicPushKey } from '#domain/push/push-keys.ts';
import { readSubscription } from '#domain/push/read-subscription.ts';
import type { Route } from './+types/push.ts';
import { listPushChoices } from './push-choices.server.ts';

const place = '/settings#push';

export const loader = () => redirect(place);

type Db = Awaited<ReturnType<typeof database>>;

/**
 * Turns notices on for the browser that sends its subscription. With `from`, the endpoint before it, the service worker
 * says that the browser's subscription has changed. With `device`, it chooses what a device is told of, or turns it off.
 */
export async function action({ request, context }: Route.ActionArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const form = await request.formData();
  const db = await database();
  const deviceId = form.get('device');
  if (typeof deviceId === 'string') return changeDevice(db, { userId, deviceId }, form);
  const [endpoint, p256dh, auth] = ['endpoint', 'p256dh', 'auth'].map((name) => form.get(name));
  const subscription = readSubscription({ endpoint, p256dh, auth });
  const publicKey = await findPublicPushKey(db.read);
  if (!subscription || publicKey === null) throw data(null, { status: 400 });
  const from = form.get('from');
  if (typeof from === 'string') {
    const isKnown = await renewPushDevice(db, { userId, from, subscription, publicKey }, await domainNow());
    return new Response(null, { status: isKnown ? 204 : 404 });
  }
  const token = await sessionToken(request);
  const sessionHash = token === null ? null : hashOf(token);
  const browserId = await browserIdOf(request);
  const browserHash = browserId === null ? null : hashOf(browserId);
  const userAgent = (request.headers.get('User-Agent') ?? '').slice(0, 300);
  await turnPushOn(
    db,
    { userId, subscription, publicKey, sessionHash, browserHash, userAgent },
    await domainNow(),
  );
  return redirectWithToast(place, { type: 'success', title: 'settings.push.turnedOn' });
}

/** An unchecked box is not sent, which means off; one that the plan leaves out cannot be checked, and its choice stays. */
async function changeDevice(db: Db, device: { userId: string; deviceId: string }, form: FormData) {
  if (form.get('act') === 'off') {
    await turnPushOff(db, device);
    return redirectWithToast(place, { type: 'success', title: 'settings.push.turnedOff' });
  }
  const events = form.getAll('event').map(String);
  const choices = await listPushChoices(db, device, await domainNow());
  const offered = choices.filter(({ needsPlan }) => !needsPlan).map(({ event }) => event);
  if (!(await setPushEvents(db, { ...device, events, offered }))) throw data(null, { status: 404 });
  return redirectWithToast(place, { type: 'success', title: 'settings.saved' });
}
