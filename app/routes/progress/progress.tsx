import { useEffect, useState } from 'react';
import { data } from 'react-router';
import { Callout } from '#app/components/feedback/callout.tsx';
import { ButtonLink } from '#app/components/forms/button.tsx';
import { Icon } from '#app/components/icons/icon.tsx';
import { ChevronRight, Hourglass } from '#app/components/icons/signs.ts';
import { EmptyState, LiveMark, Pagination, Unavailable } from '#app/components/lists/list-states.tsx';
import { Link } from '#app/components/shell/link.tsx';
import { PageHead, SectionHead } from '#app/components/shell/page-head.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { WinMoment } from '#app/routes/wins/win-moment.tsx';
import { orUnavailable } from '#app/services/available.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { type DeliveredReward, readRewards } from '#app/services/items/my-rewards.server.ts';
import { hasAnyProgress, listProgress, type RuleProgress } from '#domain/view/list-progress.ts';
import { listMissedRules } from '#domain/view/list-waiting.ts';
import type { Route } from './+types/progress.ts';
import { useCountedProgress } from './counted-progress.ts';
import { AwaitingCard, PastRow, ProgressCard, ReadyCard } from './progress-cards.tsx';
import { DeliveredSpots } from './spots.tsx';
import { MissedRow } from './waiting-line.tsx';

const LATELY = 5;

export async function loader({ request, context }: Route.LoaderArgs) {
  const { id: userId, twitch, steam } = await requireVerifiedAccount(context);
  const after = new URL(request.url).searchParams.get('after');
  const found = await orUnavailable(context, async () => {
    const [db, nowMs] = [await database(), await domainNow()];
    const [rewards, missed, progress, isKnown] = await Promise.all([
      readRewards(db, { userId }, nowMs),
      listMissedRules(db, { userId, size: LATELY }),
      listProgress(db, { userId, after }, nowMs),
      hasAnyProgress(db, { userId }),
    ]);
    const isUnseen = twitch !== null && !isKnown;
    return { nowMs, ...rewards, past: rewards.past.slice(0, LATELY), missed, progress, isUnseen };
  });
  const lacks = { twitch: twitch === null, tradeLink: !steam?.tradeLink };
  return data({ found, lacks }, { status: found ? 200 : 503 });
}

type Data = Route.ComponentProps['loaderData'];
type Found = NonNullable<Data['found']>;

function Lacking({ lacks, ready }: { lacks: Data['lacks']; ready: number }) {
  const { t } = useTranslation();
  return (
    <>
      {lacks.twitch && (
        <Callout type="warning">
          <p>
            {t('errors.account.twitchNotLinked')} <Link to="/profile">{t('items.inventory.connect')}</Link>
          </p>
        </Callout>
      )}
      {lacks.tradeLink && ready > 0 && (
        <Callout type="warning">
          <p>
            {t('errors.tradeLink.missing')}{' '}
            <Link to="/profile#trade-link">{t('items.inventory.tradeLinkAct')}</Link>
          </p>
        </Callout>
      )}
    </>
  );
}

type Live = Omit<ReturnType<typeof useCountedProgress>, 'nowMs'>;

function InProgress({ found, rules, live }: { found: Found } & Live) {
  const { t } = useTranslation();
  const { progress, isUnseen } = found;
  const [shown, empty] = [false, true].map((isEmpty) =>
    rules.filter(({ status }) => (status === 'outOfRewards') === isEmpty),
  ) as [RuleProgress[], RuleProgress[]];
  return (
    <section>
      <SectionHead title={t('progress.inProgress')} aside={<LiveMark live={live} />} />
      {rules.length === 0 ? (
        <EmptyState
          icon={Hourglass}
          title={t(isUnseen ? 'progress.unseenTitle' : 'progress.emptyTitle')}
          action={<ButtonLink to="/browseChannels">{t('shell.link.browse')}</ButtonLink>}
        >
          {t(isUnseen ? 'progress.unseen' : 'progress.empty')}
        </EmptyState>
      ) : (
        <div className="sheet rows">
          {shown.map((rule) => (
            <ProgressCard key={rule.ruleId} rule={rule} />
          ))}
          {empty.length > 0 && (
            <details className="twin sheet__pad">
              <summary>
                <Icon of={ChevronRight} size="small" />
                {t('progress.withoutRewards', { count: empty.length })}
              </summary>
              {empty.map((rule) => (
                <ProgressCard key={rule.ruleId} rule={rule} />
              ))}
            </details>
          )}
        </div>
      )}
      <Pagination next={progress.next} />
    </section>
  );
}

function Rewards({ found, nowMs, ...counted }: { found: Found; nowMs: number } & Live) {
  const { t } = useTranslation();
  const { outageMs, ready, awaiting, delivered, past, missed } = found;
  return (
    <div className="stack stack-12">
      {outageMs > 0 && ready.length + awaiting.length > 0 && (
        <Callout type="warning" title={t('progress.standstill')}>
          <p>{t('progress.standstillText')}</p>
        </Callout>
      )}
      <DeliveredSpots rewards={delivered} />
      {ready.length > 0 && (
        <section>
          <SectionHead title={t('progress.ready')} />
          <div className="sheet rows">
            {ready.map((reward) => (
              <ReadyCard key={reward.id} reward={reward} nowMs={nowMs} />
            ))}
          </div>
        </section>
      )}
      {awaiting.length > 0 && (
        <section>
          <SectionHead title={t('progress.awaiting')} />
          <div className="sheet rows">
            {awaiting.map((reward) => (
              <AwaitingCard key={reward.id} reward={reward} />
            ))}
          </div>
        </section>
      )}
      <InProgress found={found} {...counted} />
      {past.length + missed.length > 0 && (
        <section>
          <SectionHead title={t('progress.lately')} />
          <div className="sheet rows">
            {past.map((reward) => (
              <PastRow key={reward.id} reward={reward} />
            ))}
            {missed.map((rule) => (
              <MissedRow key={rule.ruleId} rule={rule} />
            ))}
          </div>
        </section>
      )}
    </div>
  );
}

/** The card of a delivery that the viewer has not been shown yet. It stays while the page is loaded again. */
function FirstMoment({ delivered }: { delivered: readonly DeliveredReward[] }) {
  const [shown, setShown] = useState<DeliveredReward | null>(null);
  const unseen = delivered.find(({ winSeenAtMs }) => winSeenAtMs === null) ?? null;
  useEffect(() => {
    if (unseen) setShown((known) => known ?? unseen);
  }, [unseen]);
  return shown && <WinMoment win={{ ...shown, deliveredAtMs: shown.claimedAtMs ?? 0 }} />;
}

export default function Progress({ loaderData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const { found, lacks } = loaderData;
  const counted = useCountedProgress(found?.progress.rows ?? [], found?.nowMs ?? 0);
  return (
    <>
      <PageHead
        title={t('progress.title')}
        lede={t('progress.lede')}
        actions={<ButtonLink to="/transfers?kind=claim">{t('progress.transfers')}</ButtonLink>}
      />
      <Lacking lacks={lacks} ready={found?.ready.length ?? 0} />
      {found ? (
        <>
          <Rewards found={found} {...counted} />
          <FirstMoment delivered={found.delivered} />
        </>
      ) : (
        <Unavailable title={t('errors.unavailable.rewardProgress')} />
      )}
    </>
  );
}
