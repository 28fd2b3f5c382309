import type { ReactNode } from 'react';
import { Badge } from '#app/components/feedback/badge.tsx';
import { Callout } from '#app/components/feedback/callout.tsx';
import { ConfirmDialog } from '#app/components/feedback/confirm.tsx';
import { ButtonLink, OutsideLink } from '#app/components/forms/button.tsx';
import { Ban, CircleCheck, ExternalLink, Package, Pause, Timer, Undo2 } from '#app/components/icons/signs.ts';
import { ItemArt, type ItemPicture } from '#app/components/items/item-art.tsx';
import { pictureOf, useItemMeta } from '#app/components/items/item-facts.ts';
import { ItemLine } from '#app/components/items/item-line.tsx';
import { Chances, ProofLink } from '#app/components/rules/chances.tsx';
import { useSites } from '#app/components/shell/page-context.tsx';
import { Avatar } from '#app/components/shell/shell.tsx';
import { useSpanText } from '#app/components/text/amounts.tsx';
import { useTimesText, useTimeText } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { MyReward } from '#domain/reward/list-my-rewards.ts';
import type { RuleProgress } from '#domain/rule/list-progress.ts';
import { ClaimFailure, endings, needsTradeLink } from './claim-failure.tsx';
import {
  type ConditionRow,
  Conditions,
  Gaps,
  PointsBack,
  PointsWords,
  useConditionRows,
} from './progress-conditions.tsx';

type Channel = { displayName: string; pictureUrl: string; live: boolean; login: string };

function ChannelName({ channel }: { channel: Channel }) {
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

/** The confirmation before a claim. */
export function useClaimQuestion() {
  const { t } = useTranslation();
  return (reward: MyReward) => ({
    title: t('progress.claim.question', { name: reward.item.name }),
    text: t('progress.claim.text'),
    act: t('progress.claim.act'),
    keep: t('progress.claim.keep'),
  });
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

/** A reward that can be claimed, with the time left. */
export function ReadyCard({ reward, nowMs }: { reward: MyReward; nowMs: number }) {
  const { t } = useTranslation();
  const span = useSpanText();
  const time = useTimeText();
  const head = useRewardHead(reward);
  const question = useClaimQuestion();
  const leftMs = Math.max(0, reward.claimUntilMs - nowMs);
  const hours = reward.claimTimeoutHours;
  const mendFirst = needsTradeLink(reward.claimFailure);
  const used = Math.min(hours, Math.max(0, hours - leftMs / 3_600_000));
  return (
    <Card
      {...head}
      side={
        <>
          <div>
            <div className="amount">{span(Math.floor(leftMs / 1000))}</div>
            <p className="s13 muted">
              {t('progress.leftUntil', { date: time(reward.claimUntilMs, 'deadline') })}
            </p>
          </div>
          <progress
            className="meter meter--time"
            value={used}
            max={hours}
            aria-label={t('progress.timeUsed', { span: span(hours * 3600) })}
          />
          {mendFirst && (
            <ButtonLink kind="primary" wide to="/profile#trade-link">
              {t('progress.failure.setTradeLink')}
            </ButtonLink>
          )}
          <ConfirmDialog
            page={`/rewards/${reward.id}/claim`}
            opener={
              <>
                {t('progress.claim.opener')}
                <span className="vh"> {reward.item.name}</span>
              </>
            }
            openerClass={mendFirst ? 'btn btn--secondary btn--wide' : 'btn btn--primary btn--wide'}
            {...question(reward)}
          >
            <ItemLine {...head.picture} name={head.title} meta={head.meta} />
          </ConfirmDialog>
        </>
      }
    >
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
    </Card>
  );
}

/** A claimed reward: who sends the offer, how to recognize it, and where to accept it. */
export function AwaitingCard({ reward }: { reward: MyReward }) {
  const { t } = useTranslation();
  const time = useTimeText();
  const head = useRewardHead(reward);
  const sites = useSites();
  const { offer } = reward;
  const offerId = offer?.state === 'sent' ? offer.offerId : null;
  return (
    <Card
      {...head}
      side={
        offer && (
          <>
            <div className="s13 muted">
              {t('progress.securityCode')}
              <div className="amount mono">{offer.securityCode}</div>
            </div>
            {offerId !== null && (
              <OutsideLink
                kind="primary"
                wide
                icon={ExternalLink}
                href={sites.offer(offerId)}
                target="_blank"
              >
                {t('progress.openOffer')}
              </OutsideLink>
            )}
          </>
        )
      }
    >
      <div role="status">
        {offerId !== null ? (
          <Callout type="success" title={t('messages.offerSent')}>
            <p>{t('messages.offerSentBody', { offerId })}</p>
          </Callout>
        ) : offer?.state === 'escrowed' ? (
          <Callout type="warning" title={t('transfers.state.escrowed')}>
            <p>{t('progress.held')}</p>
          </Callout>
        ) : (
          <p className="muted s13">{t('progress.preparing')}</p>
        )}
      </div>
      {offer && offerId !== null && (
        <p className="reward__why">
          {t('progress.acceptBy', { date: time(offer.cancelAtMs ?? 0, 'deadline') })}{' '}
          <span className="muted">
            {t('progress.sentBy', { bot: offer.bot.name, time: time(offer.sentAtMs ?? 0, 'time') })}
          </span>
        </p>
      )}
      <ForRule reward={reward} />
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
      <PointsWords rule={rule} />
      <Chances chances={chances} />
      {toWatch && <Gaps gaps={rule.gaps} />}
    </Card>
  );
}

function PastBadge({ reward }: { reward: MyReward }) {
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
    <Badge type="danger" icon={reward.recallReason === 'reversed' ? Undo2 : Ban}>
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
