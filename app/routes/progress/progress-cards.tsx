import type { ReactNode } from 'react';
import { Badge } from '#app/components/feedback/badge.tsx';
import { OutsideLink } from '#app/components/forms/button.tsx';
import { CircleCheck, ExternalLink, Package, Pause } from '#app/components/icons/signs.ts';
import { ItemArt, type ItemPicture } from '#app/components/items/item-art.tsx';
import { pictureOf } from '#app/components/items/item-facts.ts';
import { useItemText } from '#app/components/items/item-words.ts';
import { Chances } from '#app/components/rules/chances.tsx';
import { useSites } from '#app/components/shell/page-context.tsx';
import { useTimeText } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { Unbroken } from '#app/components/text/unbroken.tsx';
import type { ClaimFailure } from '#domain/outbox/queue-mail.ts';
import type { MyReward } from '#domain/view/list-my-rewards.ts';
import type { RuleProgress } from '#domain/view/list-progress.ts';
import { joined } from '#platform/isolated.ts';
import { ClaimButton } from './claim-button.tsx';
import { InChat } from './in-chat.tsx';
import { PointsAdvice, PointsBack } from './progress-advice.tsx';
import { type ConditionRow, Conditions, useConditionRows } from './progress-conditions.tsx';
import {
  AwaitingWords,
  type Channel,
  ChannelName,
  ClaimReasons,
  DrawnBy,
  OfferButton,
  PastBadge,
  Shifted,
  Stopping,
  StreamsLeft,
} from './progress-parts.tsx';
import { PlaceInLine } from './waiting-line.tsx';
import { Gaps } from './watch-gaps.tsx';

type CardProps = {
  picture: ItemPicture;
  channel: Channel;
  title: string;
  meta: string;
  children?: ReactNode;
  side: ReactNode;
};

function Card({ picture, channel, title, meta, children, side }: CardProps) {
  return (
    <article className="reward">
      <div className="reward__art">
        <ItemArt {...picture} />
      </div>
      <div className="stack reward__body">
        <div className="reward__head">
          <ChannelName channel={channel} />
          <h3>
            <Unbroken text={title} />
          </h3>
          {meta && (
            <p className="s13 faint">
              <Unbroken text={meta} />
            </p>
          )}
        </div>
        {children}
      </div>
      <div className="reward__side">{side}</div>
    </article>
  );
}

function useRewardHead({ item, channel }: Pick<MyReward, 'item' | 'channel'>) {
  const itemText = useItemText();
  return { picture: pictureOf(item), channel, title: item.name, meta: itemText(item) };
}

/** A reward that can be claimed, with the time left. */
export function ReadyCard({ reward, nowMs }: { reward: MyReward; nowMs: number }) {
  return (
    <Card {...useRewardHead(reward)} side={<ClaimButton reward={reward} nowMs={nowMs} />}>
      <ClaimReasons reward={reward} />
    </Card>
  );
}

/** A claimed reward: how to recognize its offer, and where and until when to accept it. */
export function AwaitingCard({ reward }: { reward: MyReward }) {
  const head = useRewardHead(reward);
  return (
    <Card
      {...head}
      meta={joined([head.meta, reward.ruleName], ' · ')}
      side={reward.offer && <OfferButton offer={reward.offer} />}
    >
      <AwaitingWords reward={reward} />
      <Stopping reward={reward} />
      <DrawnBy reward={reward} />
    </Card>
  );
}

/** States in which the viewer cannot make progress. */
const halts = {
  outOfRewards: {
    type: 'warning',
    icon: Package,
    state: 'rules.state.outOfRewards',
    text: 'progress.outOfRewards',
  },
  waiting: { type: 'success', icon: CircleCheck, state: 'progress.status.waiting', text: 'progress.waiting' },
  paused: { type: 'warning', icon: Pause, state: 'rules.state.paused', text: 'progress.paused' },
} as const;

/** The texts that a viewer sees during a pause that says more than that there is one. */
const pausedTexts = {
  lostPermission: 'progress.pausedUnseen',
  channelMissing: 'progress.channelMissing',
} as const;

function usePausedText({ pauseReason, resumesAtMs }: RuleProgress) {
  const { t } = useTranslation();
  const time = useTimeText();
  if (pauseReason === 'owner' && resumesAtMs !== null)
    return t('progress.pausedShortly', { time: time(resumesAtMs, 'time') });
  const texts: Partial<Record<string, (typeof pausedTexts)[keyof typeof pausedTexts]>> = pausedTexts;
  return t(texts[pauseReason ?? ''] ?? 'progress.paused');
}

function Left({ rule, rows }: { rule: RuleProgress; rows: readonly ConditionRow[] }) {
  const { t } = useTranslation();
  const pausedText = usePausedText(rule);
  if (rule.status !== 'inProgress') {
    const isPaused = rule.status === 'paused' || (rule.status === 'waiting' && rule.pauseReason === 'owner');
    const { type, icon, state, text } = halts[rule.status];
    const isNew = rule.status === 'outOfRewards' && !rule.hadRewards;
    return (
      <>
        <Badge type={type} icon={icon}>
          {t(isNew ? 'rules.state.noRewardsYet' : state)}
        </Badge>
        {rule.inLine && <PlaceInLine {...rule.inLine} />}
        <p className="s13 muted">{isPaused ? pausedText : t(text)}</p>
      </>
    );
  }
  const left = rows.find((row) => row.left)?.left;
  if (left)
    return (
      <div>
        <div className="amount">{left.amount}</div>
        <p className="s13 muted">{left.text}</p>
        <StreamsLeft rule={rule} />
      </div>
    );
  return <p className="s13 muted">{t('progress.rewardsLeft', { count: rule.freeRewards })}</p>;
}

/** A viewer's progress under one rule. */
export function ProgressCard({ rule }: { rule: RuleProgress }) {
  const { t } = useTranslation();
  const sites = useSites();
  const rows = useConditionRows(rule);
  const toWatch = rows.some(({ onStream, met }) => onStream && !met);
  const { nextItem, chances } = rule;
  const left = t('progress.rewardsLeft', { count: rule.freeRewards });
  const isLeftBeside = rule.status === 'inProgress' && !rows.some((row) => row.left);
  const what = chances.length > 0 ? t('proof.oneOf', { count: chances.length }) : nextItem?.name;
  return (
    <Card
      picture={nextItem ? pictureOf(nextItem) : { icon: null, rarity: 'base', shape: 'unknown' }}
      channel={rule.channel}
      title={rule.ruleName}
      meta={joined([what, isLeftBeside || rule.freeRewards === 0 ? '' : left], ' · ')}
      side={
        <>
          <Left rule={rule} rows={rows} />
          {rule.channel.live && rule.status !== 'paused' && toWatch && (
            <OutsideLink wide icon={ExternalLink} href={sites.channel(rule.channel.login)} target="_blank">
              {t('progress.watchOnTwitch')}
            </OutsideLink>
          )}
        </>
      }
    >
      <Conditions rows={rows} />
      {toWatch && rule.presence && <InChat presence={rule.presence} />}
      <PointsAdvice rule={rule} />
      <Chances chances={chances} />
      {toWatch && <Gaps gaps={rule.gaps} />}
    </Card>
  );
}

/** The descriptions of a promise that timed out, by the end of its last claim. */
const endings = {
  none: 'progress.notClaimedBy',
  delayed: 'progress.notClaimedBy',
  unanswered: 'progress.notClaimedBy',
  withdrawn: 'progress.notClaimedBy',
  refused: 'progress.offerRefused',
  declined: 'progress.offerDeclined',
  notAccepted: 'progress.offerNotAccepted',
} as const satisfies Record<ClaimFailure['kind'] | 'none', string>;

/** The outcome of an earlier promise. */
export function PastRow({ reward }: { reward: MyReward }) {
  const { t } = useTranslation();
  const time = useTimeText();
  const { item, state, recallReason, stopReason, claimedAtMs, claimUntilMs, claimFailure } = reward;
  const ending = endings[claimFailure?.kind ?? 'none'];
  const story =
    state === 'claimed'
      ? t('progress.deliveredOn', { date: time(claimedAtMs ?? 0) })
      : recallReason === 'timedOut'
        ? t(ending, { date: time(claimUntilMs) })
        : recallReason === 'reversed'
          ? t('progress.reversed')
          : recallReason === 'pointsGivenBack'
            ? t('progress.pointsGivenBack')
            : recallReason === 'depositReversed'
              ? t('progress.depositReversed')
              : recallReason === 'itemLost'
                ? t('progress.itemLost')
                : recallReason === 'stopped' && stopReason !== null
                  ? t(`rewards.stoppedBy.${stopReason}`)
                  : t('progress.recalled');
  return (
    <div className="reward reward--past">
      <ItemArt {...pictureOf(reward.item)} size="thumb" />
      <div className="item__text">
        <div className="item__name">
          <Unbroken text={(item.amount ?? 1) > 1 ? item.name : item.marketHashName} />
        </div>
        <div className="item__meta">{joined([reward.channel.displayName, reward.ruleName], ' · ')}</div>
        <div className="s13 muted">{story}</div>
        <Shifted reward={reward} />
        <PointsBack redemption={reward.redemption} />
        <DrawnBy reward={reward} />
        {reward.unmetCondition && (
          <div className="s13 muted">
            {t(`progress.unmetAndOver.${reward.unmetCondition}`, { channel: reward.channel.displayName })}
          </div>
        )}
      </div>
      <div>
        <PastBadge reward={reward} />
      </div>
    </div>
  );
}
