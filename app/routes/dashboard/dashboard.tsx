import { data } from 'react-router';
import { Callout } from '#app/components/feedback/callout.tsx';
import { FreezeNotice } from '#app/components/feedback/freeze-notice.tsx';
import { StreamCheckText } from '#app/components/feedback/stream-check.tsx';
import { ButtonLink } from '#app/components/forms/button.tsx';
import { Plus } from '#app/components/icons/signs.ts';
import { Unavailable } from '#app/components/lists/list-states.tsx';
import { useLiveUpdates } from '#app/components/lists/live-updates.tsx';
import { Tabs } from '#app/components/lists/tabs.tsx';
import { PageHead } from '#app/components/shell/page-head.tsx';
import { Sheet } from '#app/components/shell/sheet.tsx';
import { useTimeText } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import {
  figureNames,
  readStreamerDashboard,
  type StreamerDashboard,
} from '#app/routes/dashboard/streamer-dashboard.server.ts';
import { readViewerDashboard } from '#app/routes/dashboard/viewer-dashboard.server.ts';
import { orUnavailable } from '#app/services/available.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { timeZoneOf } from '#app/services/preferences.server.ts';
import { getReadiness } from '#domain/account/get-readiness.ts';
import { listChatLogins } from '#domain/account/twitch/list-chat-logins.ts';
import { periods } from '#domain/view/get-channel-days.ts';
import type { StreamCheck } from '#domain/watch-time/get-stream-check.ts';
import type { Route } from './+types/dashboard.ts';
import { Figures } from './figures.tsx';
import { LatestDeliveries } from './latest-deliveries.tsx';
import { isReady, type Readiness, ReadinessSheet, type Role, roles } from './readiness.tsx';
import { Tasks } from './tasks.tsx';
import { ViewerDay } from './viewer-day.tsx';

export async function loader({ request, context }: Route.LoaderArgs) {
  const { id: userId, name, twitch, steam, isFrozen } = await requireVerifiedAccount(context);
  const query = new URL(request.url).searchParams;
  const [db, nowMs] = [await database(), await domainNow()];
  const { hasItem, hasRule } = await getReadiness(db, { userId });
  const permissions = twitch?.streamingFeaturesEnabled ?? false;
  const streams = permissions || hasItem || hasRule;
  const role: Role = roles.find((each) => each === query.get('view')) ?? (streams ? 'streamer' : 'viewer');
  const readiness: Readiness = {
    twitch: twitch !== null,
    permissions,
    steam: steam !== null,
    tradeLink: Boolean(steam?.tradeLink),
    item: hasItem,
    rule: hasRule,
  };
  const isSettingUp = role === 'streamer' && permissions && !isReady(role, readiness);
  const speakers = isSettingUp ? await listChatLogins(db.read) : [];
  const period = periods.find((each) => String(each) === query.get('days')) ?? 30;
  const table = figureNames.find((each) => each === query.get('table')) ?? null;
  const asked = {
    ownerId: userId,
    channelId: twitch?.id ?? '',
    period,
    table,
    timeZone: timeZoneOf(request),
  };
  const found = await orUnavailable(context, async () => ({
    streamer: role === 'streamer' && streams ? await readStreamerDashboard(db, asked, nowMs) : null,
    viewer: role === 'viewer' ? await readViewerDashboard(db, { userId }, nowMs) : null,
  }));
  return data(
    { name, isFrozen, nowMs, role, streams, readiness, speakers, periods, found },
    { status: found ? 200 : 503 },
  );
}

type Data = Route.ComponentProps['loaderData'];

/** Tabs for a user who is both a viewer and a streamer. */
function RoleTabs({ role }: Pick<Data, 'role'>) {
  const { t } = useTranslation();
  const tabs = roles
    .toReversed()
    .map((each) => ({ to: `?view=${each}`, label: t(`shell.group.${each}`), current: each === role }));
  return <Tabs label={t('dashboard.views')} tabs={tabs} />;
}

/** A link to the streamer's checklist, for viewers who have not opened it yet. */
function StreamerInvitation() {
  const { t } = useTranslation();
  return (
    <aside className="sheet sheet__pad line between">
      <div>
        <h2 className="s13 strong">{t('dashboard.invitation.title')}</h2>
        <p className="s13 muted">{t('dashboard.invitation.text')}</p>
      </div>
      <ButtonLink to="?view=streamer">{t('dashboard.invitation.act')}</ButtonLink>
    </aside>
  );
}

/** Tells what the last look at the chat of the first stream found, for a week. */
function FirstStream({ check }: { check: StreamCheck }) {
  const { t } = useTranslation();
  return (
    <Sheet title={t('channel.check.firstTitle')}>
      <p>
        <StreamCheckText check={check} />
      </p>
      <div className="line">
        <ButtonLink to="/channel">{t('channel.act')}</ButtonLink>
      </div>
    </Sheet>
  );
}

type StreamerDayProps = {
  streamer: StreamerDashboard;
  periods: readonly number[];
  isSetUp: boolean;
};

/** Today's tasks and the channel's metrics; during the set-up only what there is, as empty charts tell nothing. */
function StreamerDay({ streamer, periods, isSetUp }: StreamerDayProps) {
  const { t } = useTranslation();
  const hasBegun = isSetUp || streamer.deliveries.length > 0;
  return (
    <>
      {streamer.hasChatTrouble && (
        <Callout type="warning" title={t('channel.chat.faultTitle')}>
          <div className="line">
            <ButtonLink to="/channel">{t('channel.act')}</ButtonLink>
          </div>
        </Callout>
      )}
      <Tasks tasks={streamer.tasks} showsNone={hasBegun} />
      {streamer.firstStream && <FirstStream check={streamer.firstStream} />}
      {hasBegun && <Figures dashboard={streamer} periods={periods} />}
      <LatestDeliveries deliveries={streamer.deliveries} />
    </>
  );
}

export default function Dashboard({ loaderData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const time = useTimeText();
  useLiveUpdates('/events');
  const { name, nowMs, role, streams, readiness, speakers, found } = loaderData;
  const { streamer = null, viewer = null } = found ?? {};
  return (
    <>
      <PageHead
        title={t('dashboard.title')}
        description={t('dashboard.description')}
        lede={[
          t('dashboard.lede', { name, date: time(nowMs, 'today') }),
          ...(streamer?.live
            ? [
                t(streamer.live.isCounting ? 'dashboard.liveCounting' : 'dashboard.liveSince', {
                  time: time(streamer.live.sinceMs, 'time'),
                }),
              ]
            : []),
        ].join(' ')}
        actions={
          role === 'streamer' &&
          isReady('streamer', readiness) && (
            <ButtonLink icon={Plus} to="/rules/new">
              {t('rules.new')}
            </ButtonLink>
          )
        }
      />
      {(streams || role === 'streamer') && <RoleTabs role={role} />}
      <div className="stack stack-12">
        {loaderData.isFrozen && <FreezeNotice />}
        <ReadinessSheet role={role} readiness={readiness} speakers={speakers} />
        {streamer && (
          <StreamerDay
            streamer={streamer}
            periods={loaderData.periods}
            isSetUp={isReady('streamer', readiness)}
          />
        )}
        {viewer && <ViewerDay day={viewer} />}
        {!found && <Unavailable title={t('dashboard.unavailable')} />}
        {role === 'viewer' && !streams && <StreamerInvitation />}
      </div>
    </>
  );
}
