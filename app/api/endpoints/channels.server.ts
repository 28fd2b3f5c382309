import { z } from 'zod';
import { retryStreamSeconds, userStream } from '#app/http/user-stream.server.ts';
import { readChannelPage } from '#app/services/channels/channel-page.server.ts';
import { listenFor } from '#app/services/live-events.server.ts';
import { isCredentialValid } from '#app/services/sign-in/credential-check.server.ts';
import { ruleTypes } from '#db/schema/rule.ts';
import { listChannels } from '#domain/channel/list-channels.ts';
import { momentOf } from '#domain/kernel/id.ts';
import { decodeCursor, encodeCursor, pageOf } from '#domain/kernel/page.ts';
import { announcements } from '#domain/outbox/announce.ts';
import { readEvents, resumeAfter } from '#domain/outbox/read-events.ts';
import { credentialOf } from '../caller.server.ts';
import { endpoint } from '../endpoint.ts';
import { tooMany } from '../limits.server.ts';
import { notificationResource } from '../present.server.ts';
import { channelPageResource, listingResource } from '../present-channels.server.ts';
import { channelListings, channelPages, notifications } from '../resources.ts';
import { base, notFound, searchFilter } from './fields.ts';

export const channelEndpoints = [
  endpoint({
    method: 'GET',
    path: `${base}/channels`,
    name: 'listChannels',
    access: 'verified',
    filter: z.strictObject({
      name: searchFilter,
      status: z.enum(['online', 'offline']).optional(),
      rule_type: z.enum(ruleTypes).optional(),
      game: searchFilter,
    }),
    cursor: ['number', 'text', 'text'],
    answers: { data: 'many', of: [channelListings] },
    async handle({ db, filter, page }) {
      const live = filter.status && filter.status === 'online';
      const { name: search, rule_type: ruleType, game } = filter;
      const { rows, next } = await listChannels(db, { search, live, ruleType, game, ...page });
      return { data: rows.map(listingResource), next };
    },
  }),
  endpoint({
    method: 'GET',
    path: `${base}/channels/{login}`,
    name: 'getChannelPage',
    access: 'anyone',
    params: z.strictObject({ login: z.string().regex(/^\w{1,60}$/) }),
    answers: { data: 'one', of: [channelPages] },
    refuses: notFound,
    async handle({ db, nowMs, params, refuse }) {
      const page = await readChannelPage(db, params.login, nowMs);
      return page ? { data: channelPageResource(page) } : refuse('notFound');
    },
  }),
  endpoint({
    method: 'GET',
    path: `${base}/notifications`,
    name: 'listNotifications',
    access: 'verified',
    filter: z.strictObject({ kind: z.enum(announcements).optional() }),
    cursor: ['text'],
    answers: {
      data: 'many',
      of: [notifications],
      meta: z.strictObject({ cursor: z.string().nullable() }),
    },
    async handle({ db, nowMs, account, filter, page }) {
      const [afterId = null] = decodeCursor(page.after, ['text']) ?? [];
      const asked = { afterId, userId: account.id, kind: filter.kind, limit: page.size + 1 };
      const events = await readEvents(db, asked);
      const { rows, next } = pageOf(events, page.size, (event) => [event.id]);
      const last = rows.at(-1);
      return {
        data: rows.map((event) => notificationResource({ ...event, atMs: momentOf(event.id) })),
        next,
        meta: { cursor: last ? encodeCursor([resumeAfter(last.id, nowMs)]) : page.after },
      };
    },
  }),
  endpoint({
    method: 'GET',
    path: `${base}/notifications/stream`,
    name: 'streamNotifications',
    access: 'verified',
    answers: { data: 'events' },
    async handle({ request, account, address, proof }) {
      const credential = await credentialOf(proof, request, account.id);
      const stream = userStream(
        request,
        { userId: account.id, address },
        {
          source: (onEvent) =>
            listenFor(account.id, ({ id, kind, subjectId }) =>
              onEvent({ id, data: { kind, subject_id: subjectId } }),
            ).stop,
          mayFollow: async () => credential !== null && isCredentialValid(credential),
        },
      );
      if (!stream) throw tooMany(retryStreamSeconds);
      return stream;
    },
  }),
];
