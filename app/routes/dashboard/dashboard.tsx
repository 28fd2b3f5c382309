import { Metrics } from '#app/components/lists/metrics.tsx';
import { PageHead } from '#app/components/shell/page-head.tsx';
import { useNumberText, useSpanText } from '#app/components/text/amounts.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { getReadiness } from '#domain/account/get-readiness.ts';
import { type WatchHistory, watchHistory } from '#domain/watch-time/watch-history.ts';
import type { Route } from './+types/dashboard.ts';
import { type Readiness, ReadinessSheet } from './readiness.tsx';

export async function loader({ context }: Route.LoaderArgs) {
  const { id: userId, name, verified, twitch, steam } = await requireVerifiedAccount(context);
  const store = await database();
  const { hasItem, hasRule } = await getReadiness(store, { userId });
  const watched = twitch && (await watchHistory(store, { channelId: twitch.id }, await domainNow()));
  const readiness: Readiness = {
    email: verified,
    twitch: twitch !== null,
    permissions: twitch?.streamingFeaturesEnabled ?? false,
    steam: steam !== null,
    tradeLink: Boolean(steam?.tradeLink),
    item: hasItem,
    rule: hasRule,
  };
  return { name, readiness, watched };
}

export default function Dashboard({ loaderData }: Route.ComponentProps) {
  const { t } = useTranslation();
  return (
    <>
      <PageHead title={t('dashboard.title')} lede={t('dashboard.welcome', { name: loaderData.name })} />
      <div className="stack stack-6">
        <ReadinessSheet readiness={loaderData.readiness} />
        {loaderData.watched && loaderData.watched.days.length > 0 && <Watched history={loaderData.watched} />}
      </div>
    </>
  );
}

/** Watch time on the person's own channel in the last days. */
function Watched({ history: { seconds, viewers, days } }: { history: WatchHistory }) {
  const { t } = useTranslation();
  const span = useSpanText();
  const number = useNumberText();
  const each = days.reduce((sum, day) => sum + day.viewers, 0) / days.length;
  return (
    <Metrics
      metrics={[
        { label: t('dashboard.watched.time'), value: span(seconds), note: t('dashboard.watched.days') },
        { label: t('dashboard.watched.viewers'), value: number(viewers), note: t('dashboard.watched.days') },
        {
          label: t('dashboard.watched.each'),
          value: number(each, { maximumFractionDigits: 0 }),
          note: t('dashboard.watched.eachNote', { count: days.length }),
        },
      ]}
    />
  );
}
