import { z } from 'zod';
import { day } from '#domain/kernel/time.ts';
import { countRewards } from '#domain/view/count-rewards.ts';
import { getChannelDays, type Period, periods } from '#domain/view/get-channel-days.ts';
import { endpoint } from '../endpoint.ts';
import { dashboardResource } from '../present-channels.server.ts';
import { dashboards } from '../resources.ts';
import { base } from './fields.ts';

const DEFAULT_DAYS: Period = 30;

export const dashboardEndpoints = [
  endpoint({
    method: 'GET',
    path: `${base}/dashboard`,
    name: 'getDashboard',
    access: 'verified',
    filter: z.strictObject({ days: z.enum(periods.map(String)).transform(Number).optional() }),
    answers: { data: 'one', of: [dashboards] },
    async handle({ db, nowMs, account, filter }) {
      const period = periods.find((each) => each === filter.days) ?? DEFAULT_DAYS;
      const channelId = account.twitch?.id ?? null;
      const rewards = await countRewards(db, { ownerId: account.id, sinceMs: nowMs - period * day });
      const { days } = await getChannelDays(db, { channelId: channelId ?? '', period }, nowMs);
      return { data: dashboardResource({ id: account.id, channelId, period, rewards, days }) };
    },
  }),
];
