import { z } from 'zod';
import { twitchLoginField } from '#app/services/forms/form-fields.server.ts';
import { admitRefusals } from '#app/services/forms/trading-refusals.server.ts';
import { admitGuest } from '#domain/audience/admit-guest.ts';
import { dismissGuest } from '#domain/audience/dismiss-guest.ts';
import { listChannelsOpenTo } from '#domain/channel/list-channels-open-to.ts';
import { listGuests } from '#domain/channel/list-guests.ts';
import { endpoint } from '../endpoint.ts';
import { guestResource, openChannelResource } from '../present-channels.server.ts';
import { channelGuests, channels } from '../resources.ts';
import { base, idParams, notFound } from './fields.ts';

export const guestEndpoints = [
  endpoint({
    method: 'GET',
    path: `${base}/host-channels`,
    name: 'listHostChannels',
    access: 'verified',
    answers: { data: 'many', of: [channels] },
    async handle({ db, account }) {
      const open = await listChannelsOpenTo(db, account.id);
      return { data: open.map(openChannelResource) };
    },
  }),
  endpoint({
    method: 'GET',
    path: `${base}/channel-guests`,
    name: 'listGuests',
    access: 'verified',
    answers: { data: 'many', of: [channelGuests] },
    async handle({ db, account }) {
      const guests = account.twitch ? await listGuests(db, { channelId: account.twitch.id }) : [];
      return { data: guests.map(guestResource) };
    },
  }),
  endpoint({
    method: 'POST',
    path: `${base}/channel-guests`,
    name: 'admitGuest',
    access: 'verified',
    body: { type: 'channel-guests', attributes: z.strictObject({ login: twitchLoginField }) },
    answers: { status: 201, data: 'one', of: [channelGuests] },
    refuses: { ...admitRefusals, ...notFound },
    async handle({ db, nowMs, account, body, refuse }) {
      const outcome = await admitGuest(db, { userId: account.id, login: body.login }, nowMs);
      if (!outcome.ok) return refuse(outcome.code, 'login');
      const guests = account.twitch ? await listGuests(db, { channelId: account.twitch.id }) : [];
      const guest = guests.find(({ userId }) => userId === outcome.guestId);
      return guest ? { data: guestResource(guest) } : refuse('notFound');
    },
  }),
  endpoint({
    method: 'DELETE',
    path: `${base}/channel-guests/{id}`,
    name: 'dismissGuest',
    access: 'verified',
    params: idParams,
    refuses: notFound,
    async handle({ db, nowMs, account, params, refuse }) {
      const outcome = await dismissGuest(db, { userId: account.id, guestId: params.id }, nowMs);
      return outcome.ok ? { data: null } : refuse(outcome.code);
    },
  }),
];
