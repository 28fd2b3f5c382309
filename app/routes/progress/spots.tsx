import type { ReactNode } from 'react';
import { Badge } from '#app/components/feedback/badge.tsx';
import { OutsideLink } from '#app/components/forms/button.tsx';
import { Check, ExternalLink } from '#app/components/icons/signs.ts';
import { ItemArt } from '#app/components/items/item-art.tsx';
import { pictureOf } from '#app/components/items/item-facts.ts';
import { ItemMeta } from '#app/components/items/item-meta.tsx';
import { Link } from '#app/components/shell/link.tsx';
import { useSites } from '#app/components/shell/page-context.tsx';
import { SectionHead } from '#app/components/shell/page-head.tsx';
import { useTimeText } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { Unbroken } from '#app/components/text/unbroken.tsx';
import type { DeliveredReward } from '#app/services/items/my-rewards.server.ts';
import type { MyReward } from '#domain/view/list-my-rewards.ts';
import { joined } from '#platform/isolated.ts';
import { ClaimButton } from './claim-button.tsx';
import { AwaitingWords, ChannelName, ClaimReasons, OfferButton } from './progress-parts.tsx';
import { ShareLink } from './progress-share.tsx';

type SpotProps = { reward: MyReward; narrow?: boolean; children: ReactNode; act: ReactNode };

/** A reward's largest card: its picture, its description, and its one action. */
function Spot({ reward: { item, channel }, narrow = false, children, act }: SpotProps) {
  return (
    <article className={narrow ? 'sheet spot spot--2' : 'sheet spot'}>
      <ItemArt {...pictureOf(item)} />
      <div className="spot__body">
        <div>
          <ChannelName channel={channel} />
          <h3>
            <Unbroken text={item.name} />
          </h3>
          <div className="muted s13">
            <ItemMeta item={item} />
          </div>
        </div>
        {children}
        <div className="spot__act">{act}</div>
      </div>
    </article>
  );
}

/** A reward that can be claimed now. */
export function ReadySpot({ reward, nowMs, narrow }: { reward: MyReward; nowMs: number; narrow?: boolean }) {
  return (
    <Spot reward={reward} narrow={narrow ?? false} act={<ClaimButton reward={reward} nowMs={nowMs} />}>
      <ClaimReasons reward={reward} />
    </Spot>
  );
}

/** A claimed reward whose offer waits on Steam or is being prepared; `first` if nothing can be claimed. */
export function AwaitingSpot({ reward, first }: { reward: MyReward; first: boolean }) {
  const { offer } = reward;
  return (
    <Spot
      reward={reward}
      narrow={!first}
      act={offer && <OfferButton offer={offer} kind={first ? 'primary' : 'secondary'} />}
    >
      <AwaitingWords reward={reward} />
    </Spot>
  );
}

/** A reward that was just delivered. */
function DeliveredSpot({
  reward: { id, item, channel, claimedAtMs, settlesAtMs, isShareable },
}: {
  reward: DeliveredReward;
}) {
  const { t } = useTranslation();
  const time = useTimeText();
  const sites = useSites();
  const deliveredAtMs = claimedAtMs ?? 0;
  const name = joined([item.name, item.exterior], ' · ');
  return (
    <article className="sheet spot spot--done">
      <ItemArt {...pictureOf(item)} />
      <div className="spot__body">
        <div>
          <Badge type="accent" icon={Check}>
            {t('rewards.state.claimed')}
          </Badge>
        </div>
        <div>
          <h3>{t('progress.yours')}</h3>
          <p className="muted">
            <Unbroken text={name} />
          </p>
        </div>
        <p className="muted">
          {settlesAtMs === null
            ? t('progress.deliveredAt', { time: time(deliveredAtMs, 'time') })
            : t('progress.deliveredUntilFinal', {
                time: time(deliveredAtMs, 'time'),
                date: time(settlesAtMs, 'day'),
              })}
        </p>
        <div className="spot__act">
          <OutsideLink icon={ExternalLink} href={sites.inventory} target="_blank">
            {t('win.seeOnSteam')}
          </OutsideLink>
          {isShareable && (
            <ShareLink
              to={`/wins/${id}`}
              text={t('progress.shareText', { item: item.name, channel: channel.displayName })}
            />
          )}
          <p className="s13 faint">
            {t('progress.staysUntil', { date: time(deliveredAtMs + STAYS_MS, 'deadline') })}{' '}
            <Link to={`/wins/${id}`}>{t('progress.toWin')}</Link>
          </p>
        </div>
      </div>
    </article>
  );
}

const STAYS_MS = 24 * 3_600_000;

/** Rewards delivered within a day, at the top of the page. */
export function DeliveredSpots({ rewards }: { rewards: readonly DeliveredReward[] }) {
  const { t } = useTranslation();
  if (rewards.length === 0) return null;
  return (
    <section>
      <SectionHead
        title={t('rewards.state.claimed')}
        aside={<span className="s13 muted">{t('progress.staysADay')}</span>}
      />
      <div className="stack">
        {rewards.map((reward) => (
          <DeliveredSpot key={reward.id} reward={reward} />
        ))}
      </div>
    </section>
  );
}
