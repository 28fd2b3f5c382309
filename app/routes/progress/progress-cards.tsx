import type { ReactNode } from 'react';
import { Badge } from '#app/components/feedback/badge.tsx';
import { Callout } from '#app/components/feedback/callout.tsx';
import { OutsideLink } from '#app/components/forms/button.tsx';
import { Ban, CircleCheck, ExternalLink, Package, Pause, Timer, Undo2 } from '#app/components/icons/signs.ts';
import { ItemArt, type ItemPicture } from '#app/components/items/item-art.tsx';
import { pictureOf, useItemMeta } from '#app/components/items/item-facts.ts';
import { Chances, ProofLink } from '#app/components/rules/chances.tsx';
import { useSites } from '#app/components/shell/page-context.tsx';
import { Avatar } from '#app/components/shell/shell.tsx';
import { useSpanText } from '#app/components/text/amounts.tsx';
import { useTimesText, useTimeText } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { MyOffer, MyReward } from '#domain/reward/list-my-rewards.ts';
import type { RuleProgress } from '#domain/rule/list-progress.ts';
import { ClaimButton } from './claim-button.tsx';
import { ClaimFailure, endings } from './claim-failure.tsx';
import {
  ConditionAdvice,
  type ConditionRow,
  Conditions,
  Gaps,
  PointsBack,
  useConditionRows,
} from './progress-conditions.tsx';
import { PlaceInLine } from './waiting-line.tsx';

type Channel = { displayName: string; pictureUrl: string; live: boolean; login: string };

/** A channel's picture and name, and whether it is live. */
export function ChannelName({ channel }: { channel: Channel }) {
  const { t } = useTranslation();
  return (
    <div className="reward__channel">
      <Avatar name={channel.displayName} url={channel.pictureUrl || null} size="small" />
      <span>{channel.displayName}</span>
      <span className={channel.live ? 'live live--on' : 'live'}>
        <span className="vh">{t(channel.live ? 'common.online' : 'common.offline')}</span>
      </span>
    </div>
  );
}

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
          <h3>{title}</h3>
          <p className="s13 faint">{meta}</p>
        </div>
        {children}
      </div>
      <div className="reward__side">{side}</div>
    </article>
  );
}

function useRewardHead({ item, channel }: Pick<MyReward, 'item' | 'channel'>) {
  const meta = useItemMeta();
  return { picture: pictureOf(item), channel, title: item.name, meta: meta(item) };
}

/** The rule of the reward: other rules of the channel may give the same item. */
function ForRule({ reward }: { reward: Pick<MyReward, 'ruleName'> }) {
  const { t } = useTranslation();
  return <p className="muted s13 reward__why">{t('progress.forRule', { rule: reward.ruleName })}</p>;
}

/** The link from a drawn reward to its proof. */
function DrawnBy({ reward: { ruleId, drawNumber } }: { reward: MyReward }) {
  const { t } = useTranslation();
  if (drawNumber === null) return null;
  return (
    <p className="s13 muted">
      {t('proof.drawnForYou')} <ProofLink ruleId={ruleId} number={drawNumber} />
    </p>
  );
}

/** What stood in the way of the last claim, or why there is a reward to claim. */
export function ClaimReasons({ reward }: { reward: MyReward }) {
  const { t } = useTranslation();
  return (
    <>
      {reward.unmetCondition ? (
        <>
          <Callout type="warning">
            <p>{t(`progress.unmet.${reward.unmetCondition}`, { channel: reward.channel.displayName })}</p>
          </Callout>
          <ForRule reward={reward} />
        </>
      ) : reward.claimFailure ? (
        <>
          <ClaimFailure reward={reward} />
          <ForRule reward={reward} />
        </>
      ) : (
        <p className="muted s13 reward__why">{t('progress.earnedBy', { rule: reward.ruleName })}</p>
      )}
      <Shifted reward={reward} />
      <DrawnBy reward={reward} />
    </>
  );
}

/** A reward that can be claimed, with the time left. */
export function ReadyCard({ reward, nowMs }: { reward: MyReward; nowMs: number }) {
  return (
    <Card {...useRewardHead(reward)} side={<ClaimButton reward={reward} nowMs={nowMs} />}>
      <ClaimReasons reward={reward} />
    </Card>
  );
}

/** What to do about a claimed reward, in one sentence. */
export function AwaitingWords({ reward: { offer } }: { reward: Pick<MyReward, 'offer'> }) {
  const { t } = useTranslation();
  const time = useTimeText();
  if (offer?.state === 'escrowed')
    return (
      <Callout type="warning" title={t('transfers.state.escrowed')}>
        <p>{t('progress.held')}</p>
      </Callout>
    );
  return (
    <p className="reward__why" role="status">
      {offer?.state === 'sent' && offer.offerId !== null
        ? t('progress.acceptBy', { date: time(offer.cancelAtMs ?? 0, 'deadline') })
        : t('progress.preparing')}
    </p>
  );
}

/** The code to compare, and the way to the offer once it is on Steam. */
export function OfferButton({ offer, kind = 'primary' }: { offer: MyOffer; kind?: 'primary' | 'secondary' }) {
  const { t } = useTranslation();
  const sites = useSites();
  const offerId = offer.state === 'sent' ? offer.offerId : null;
  return (
    <>
      <div className="s13 muted">
        {t('progress.securityCode')}
        <div className="amount mono">{offer.securityCode}</div>
      </div>
      {offerId !== null && (
        <>
          <OutsideLink kind={kind} wide icon={ExternalLink} href={sites.offer(offerId)} target="_blank">
            {t('progress.openOffer')}
          </OutsideLink>
          <p className="s13 faint">
            {t('messages.offerSent')}. {t('messages.offerSentBody', { offerId })}
          </p>
        </>
      )}
    </>
  );
}

/** A claimed reward: how to recognize its offer, and where and until when to accept it. */
export function AwaitingCard({ reward }: { reward: MyReward }) {
  const head = useRewardHead(reward);
  return (
    <Card
      {...head}
      meta={`${head.meta} · ${reward.ruleName}`}
      side={reward.offer && <OfferButton offer={reward.offer} />}
    >
      <AwaitingWords reward={reward} />
      <DrawnBy reward={reward} />
    </Card>
  );
}

/** Says that the claim window was extended, and by which outages. */
function Shifted({ reward }: { reward: Pick<MyReward, 'claimShiftedMs' | 'outages'> }) {
  const { t } = useTranslation();
  const span = useSpanText();
  const timesOf = useTimesText();
  const { claimShiftedMs, outages } = reward;
  if (claimShiftedMs === 0) return null;
  const moved = span(Math.max(60, Math.floor(claimShiftedMs / 1000)));
  const times = outages.map(({ fromMs, untilMs }) => timesOf(fromMs, untilMs));
  return (
    <p className="s13 muted">
      {times.length === 0
        ? t('progress.shiftedPlain', { span: moved })
        : t('progress.shifted', { span: moved, times: times.join(', ') })}
    </p>
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

/** How many streams of the usual length the missing watch time takes. */
export function StreamsLeft({ rule: { progress, streamSeconds } }: { rule: RuleProgress }) {
  const { t } = useTranslation();
  const left = progress.watch ? progress.watch.needSeconds - progress.watch.haveSeconds : 0;
  if (left <= 0 || !streamSeconds) return null;
  return <p className="s13 muted">{t('progress.streamsLeft', { count: Math.ceil(left / streamSeconds) })}</p>;
}

function Left({ rule, rows }: { rule: RuleProgress; rows: readonly ConditionRow[] }) {
  const { t } = useTranslation();
  if (rule.status !== 'inProgress') {
    const { type, icon, state, text } = halts[rule.status];
    const unseen = rule.status === 'paused' && rule.pauseReason === 'lostPermission';
    return (
      <>
        <Badge type={type} icon={icon}>
          {t(state)}
        </Badge>
        {rule.inLine && <PlaceInLine {...rule.inLine} />}
        <p className="s13 muted">{t(unseen ? 'progress.pausedUnseen' : text)}</p>
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
  const what = chances.length > 0 ? t('proof.oneOf', { count: chances.length }) : nextItem?.name;
  return (
    <Card
      picture={nextItem ? pictureOf(nextItem) : { icon: null, rarity: 'base', shape: 'unknown' }}
      channel={rule.channel}
      title={rule.ruleName}
      meta={what ? `${what} · ${left}` : left}
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
      <ConditionAdvice rows={rows} />
      <Chances chances={chances} />
      {toWatch && <Gaps gaps={rule.gaps} />}
    </Card>
  );
}

const isUndone = ({ recallReason }: MyReward) =>
  recallReason === 'reversed' || recallReason === 'depositReversed';

/** How an earlier promise ended. */
export function PastBadge({ reward }: { reward: MyReward }) {
  const { t } = useTranslation();
  if (reward.state === 'claimed')
    return (
      <Badge type="success" icon={CircleCheck}>
        {t('progress.status.claimed')}
      </Badge>
    );
  if (reward.recallReason === 'timedOut')
    return (
      <Badge type="plain" icon={Timer}>
        {t('progress.status.timedOut')}
      </Badge>
    );
  return (
    <Badge type="danger" icon={isUndone(reward) ? Undo2 : Ban}>
      {t('progress.status.recalled')}
    </Badge>
  );
}

/** The outcome of an earlier promise. */
export function PastRow({ reward }: { reward: MyReward }) {
  const { t } = useTranslation();
  const time = useTimeText();
  const { state, recallReason, claimedAtMs, claimUntilMs, claimFailure } = reward;
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
              : t('progress.recalled');
  return (
    <div className="reward reward--past">
      <ItemArt {...pictureOf(reward.item)} size="thumb" />
      <div className="item__text">
        <div className="item__name">{reward.item.marketHashName}</div>
        <div className="item__meta">
          {reward.channel.displayName} · {reward.ruleName}
        </div>
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
