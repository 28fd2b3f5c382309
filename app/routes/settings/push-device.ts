import { data, redirect } from 'react-router';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { database } from '#app/services/database.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { setPushEvents, turnPushOff } from '#domain/push/push-devices.ts';
import type { Route } from './+types/push-device.ts';

const place = '/settings#push';

export const loader = () => redirect(place);

/** Chooses what a device is told of, or turns it off. An unchecked box is not sent, which means off. */
export async function action({ request, params, context }: Route.ActionArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const form = await request.formData();
  const db = await database();
  const device = { userId, deviceId: params.id };
  if (form.get('act') === 'off') {
    await turnPushOff(db, device);
    return redirectWithToast(place, { type: 'success', title: 'settings.push.turnedOff' });
  }
  const events = form.getAll('event').map(String);
  if (!(await setPushEvents(db, { ...device, events }))) throw data(null, { status: 404 });
  return redirectWithToast(place, { type: 'success', title: 'settings.saved' });
}
