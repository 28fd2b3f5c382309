import { Callout } from '#app/components/feedback/callout.tsx';
import { ButtonLink } from '#app/components/forms/button.tsx';
import { Compass } from '#app/components/icons/signs.ts';
import { ItemArt } from '#app/components/items/item-art.tsx';
import { pictureOf } from '#app/components/items/item-facts.ts';
import { EmptyState } from '#app/components/lists/list-states.tsx';
import { Link } from '#app/components/shell/link.tsx';
import { SectionHead } from '#app/components/shell/page-head.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { ViewerDashboard } from '#app/routes/dashboard/viewer-dashboard.server.ts';
import type { RuleProgress } from '#domain/view/list-progress.ts';
import { isolated } from '#platform/isolated.ts';
import { ChannelSummary } from '../channels/channel-summary.tsx';
import { Conditions, useConditionRows } from '../progress/progress-conditions.tsx';
import { ChannelName, PastBadge, StreamsLeft } from '../progress/progress-parts.tsx';
import { AwaitingSpot, DeliveredSpots, ReadySpot } from '../progress/spots.tsx';
import { GalleryItem } from './gallery-item.tsx';

/** The largest card: rewards to claim first, then offers to accept. */
function Taking({ ready, awaiting, nowMs }: Pick<ViewerDashboard, 'ready' | 'awaiting' | 'nowMs'>) {
  const { t } = useTranslation();
  const [first] = ready;
  const [offer] = awaiting;
  if (!first && !offer) return null;
  const more = Math.max(0, ready.length - 1) + Math.max(0, awaiting.length - 1);
  return (
    <section className={first && offer ? 'duo' : undefined} aria-label={t('dashboard.taking')}>
      {first && (
        <div>
          <SectionHead title={t('progress.ready')} />
          <ReadySpot reward={first} nowMs={nowMs} />
        </div>
      )}
      {offer && (
        <div>
          <SectionHead title={t('progress.awaiting')} />
          <AwaitingSpot reward={offer} first={!first} />
        </div>
      )}
      {more > 0 && (
        <p className="duo__more">
          <Link to="/rewardProgress">{t('dashboard.more', { count: more })}</Link>
        </p>
      )}
    </section>
  );
}

function Almost({ rule }: { rule: RuleProgress }) {
  const { t } = useTranslation();
  const { nextItem, freeRewards } = rule;
  const rows = useConditionRows(rule);
  return (
    <article className="sheet sheet__pad stack">
      {nextItem && <ItemArt {...pictureOf(nextItem)} />}
      <div>
        <ChannelName channel={rule.channel} />
        <h3>{rule.ruleName}</h3>
        <p className="s13 muted">
          {nextItem && `${isolated(nextItem.name)} · `}
          {t('progress.rewardsLeft', { count: freeRewards })}
        </p>
      </div>
      <Conditions rows={rows} />
      <StreamsLeft rule={rule} />
    </article>
  );
}

const linkTo = (to: string, label: string) => (
  <Link className="s13 muted" to={to}>
    {label}
  </Link>
);

/**
 * A viewer's dashboard: rewards to claim now, rewards nearly earned, past rewards, and channels that are
 * live.
 */
export function ViewerDay({ day }: { day: ViewerDashboard }) {
  const { t } = useTranslation();
  const { ready, awaiting, delivered, progress, past, live } = day;
  const nothing = ready.length + awaiting.length + delivered.length + progress.length === 0;
  return (
    <>
      {day.outageMs > 0 && ready.length + awaiting.length > 0 && (
        <Callout type="warning" title={t('progress.standstill')}>
          <p>{t('progress.standstillText')}</p>
        </Callout>
      )}
      <DeliveredSpots rewards={delivered} />
      <Taking {...day} />
      {progress.length > 0 && (
        <section>
          <SectionHead
            title={t('dashboard.almost')}
            aside={linkTo('/rewardProgress', t('dashboard.allProgress'))}
          />
          <div className="grid-3">
            {progress.map((rule) => (
              <Almost key={rule.ruleId} rule={rule} />
            ))}
          </div>
        </section>
      )}
      {past.length > 0 && (
        <section>
          <SectionHead
            title={t('progress.lately')}
            aside={linkTo('/rewardHistory', t('shell.link.rewardHistory'))}
          />
          <ul className="gallery">
            {past.map((reward) => (
              <GalleryItem key={reward.id} item={reward.item} whose={reward.channel}>
                <div className="mt-2">
                  <PastBadge reward={reward} />
                </div>
              </GalleryItem>
            ))}
          </ul>
        </section>
      )}
      {live.length > 0 && (
        <section>
          <SectionHead
            title={t('dashboard.liveNow')}
            aside={linkTo('/browseChannels', t('shell.link.browse'))}
          />
          <div className="grid-3">
            {live.map((channel) => (
              <ChannelSummary
                key={channel.id}
                channel={channel}
                heading="h3"
                aside={t('progress.rewardsLeft', { count: channel.freeRewards })}
              />
            ))}
          </div>
        </section>
      )}
      {nothing && (
        <EmptyState
          icon={Compass}
          title={t('progress.emptyTitle')}
          action={<ButtonLink to="/browseChannels">{t('shell.link.browse')}</ButtonLink>}
        >
          {t('progress.empty')}
        </EmptyState>
      )}
    </>
  );
}
