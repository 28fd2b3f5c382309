import { Badge } from '#app/components/feedback/badge.tsx';
import { Callout } from '#app/components/feedback/callout.tsx';
import { OutsideLink } from '#app/components/forms/button.tsx';
import { Ban, CircleCheck, ExternalLink, Timer, Undo2 } from '#app/components/icons/signs.ts';
import { ProofLink } from '#app/components/rules/proof-link.tsx';
import { useSites } from '#app/components/shell/page-context.tsx';
import { Avatar } from '#app/components/shell/shell.tsx';
import { useSpanText } from '#app/components/text/amounts.tsx';
import { useTimesText, useTimeText } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { MyOffer, MyReward } from '#domain/view/list-my-rewards.ts';
import type { RuleProgress } from '#domain/view/list-progress.ts';
import { ClaimFailure } from './claim-failure.tsx';

export type Channel = { displayName: string; pictureUrl: string; live: boolean; login: string };

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

/** The reward's rule: other rules of the channel may give the same item. */
function ForRule({ reward }: { reward: Pick<MyReward, 'ruleName'> }) {
  const { t } = useTranslation();
  return <p className="muted s13 reward__why">{t('progress.forRule', { rule: reward.ruleName })}</p>;
}

/** The link from a drawn reward to its proof. */
export function DrawnBy({ reward: { ruleId, drawNumber } }: { reward: MyReward }) {
  const { t } = useTranslation();
  if (drawNumber === null) return null;
  return (
    <p className="s13 muted">
      {t('proof.drawnForYou')} <ProofLink ruleId={ruleId} number={drawNumber} />
    </p>
  );
}

/** The reason why the last claim failed, or why the viewer has the reward. */
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
      <SentFrom reward={reward} />
      <Shifted reward={reward} />
      <DrawnBy reward={reward} />
    </>
  );
}

/** Shows when the item will be sent, if its rule delays it. */
export function SentFrom({ reward: { sendsFromMs } }: { reward: Pick<MyReward, 'sendsFromMs'> }) {
  const { t } = useTranslation();
  const time = useTimeText();
  if (sendsFromMs === null) return null;
  return <p className="s13 muted">{t('progress.sentFrom', { date: time(sendsFromMs, 'deadline') })}</p>;
}

/** The viewer's next step for a claimed reward, in one sentence. */
export function AwaitingWords({ reward }: { reward: Pick<MyReward, 'offer' | 'sendsFromMs'> }) {
  const { offer, sendsFromMs } = reward;
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
        : offer?.isHeldBack || sendsFromMs === null || offer?.state !== 'queued'
          ? t(offer?.isHeldBack ? 'progress.heldBack' : 'progress.preparing')
          : t('progress.offerFrom', { date: time(sendsFromMs, 'deadline') })}
    </p>
  );
}

/** Says that the rule's owner has asked to stop a claim whose offer may be accepted yet, and why. */
export function Stopping({ reward: { stopReason } }: { reward: Pick<MyReward, 'stopReason'> }) {
  const { t } = useTranslation();
  if (stopReason === null) return null;
  return (
    <Callout type="warning" title={t(`rewards.stopReason.${stopReason}`)}>
      <p>{t('progress.stopping')}</p>
    </Callout>
  );
}

/** The security code, and the link to the offer once it is on Steam. */
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

/** Says that outages extended the claim window, and which. */
export function Shifted({ reward }: { reward: Pick<MyReward, 'claimShiftedMs' | 'outages'> }) {
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

/** The missing watch time as a number of streams of the usual length. */
export function StreamsLeft({ rule: { progress, streamSeconds } }: { rule: RuleProgress }) {
  const { t } = useTranslation();
  const left = progress.watch ? progress.watch.needSeconds - progress.watch.haveSeconds : 0;
  if (left <= 0 || !streamSeconds) return null;
  return <p className="s13 muted">{t('progress.streamsLeft', { count: Math.ceil(left / streamSeconds) })}</p>;
}

const isUndone = ({ recallReason }: MyReward) =>
  recallReason === 'reversed' || recallReason === 'depositReversed';

/** A badge for the end of an earlier promise. */
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
