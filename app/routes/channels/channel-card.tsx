import { Icon } from '#app/components/icons/icon.tsx';
import { Package } from '#app/components/icons/signs.ts';
import { useConditionLines } from '#app/components/rules/condition-lines.ts';
import { useSpanText } from '#app/components/text/amounts.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { Unbroken } from '#app/components/text/unbroken.tsx';
import type { OwnStandings } from '#app/services/channels/own-standings.server.ts';
import { joined } from '#platform/isolated.ts';
import { ChannelSummary, type ShownChannel } from './channel-summary.tsx';
import { OwnBegun } from './own-progress.tsx';

/** The time that viewers of a channel have to claim. */
function ClaimTimeout({ minClaimHours: from, maxClaimHours: to }: ShownChannel) {
  const { t } = useTranslation();
  const span = useSpanText();
  const whole = from % 24 === 0 && to % 24 === 0;
  const [first, last] = whole ? [from / 24, span(to * 3600)] : [from, `${to} ${t('common.unit.h')}`];
  return (
    <span>
      {from === to
        ? t('browse.claim', { span: span(to * 3600) })
        : t('browse.claimRange', { from: String(first), to: last })}
    </span>
  );
}

/** The reward that a channel is named with, and what a viewer has to do for it. */
function Best({ name, asks }: NonNullable<ShownChannel['best']>) {
  const lines = useConditionLines(asks);
  return (
    <div>
      <p className="strong">
        <Unbroken text={name} />
      </p>
      <p className="s13 muted">
        {joined(
          lines.map(({ text }) => text),
          ' · ',
        )}
      </p>
    </div>
  );
}

type CardProps = {
  channel: ShownChannel;
  /** The viewer's own standings under the rules that cards name. */
  own: OwnStandings;
  heading?: 'h2' | 'h3';
};

/** A channel and its rewards. */
export function ChannelCard({ channel, own, heading }: CardProps) {
  const { t } = useTranslation();
  const { freeRewards, openRules, best } = channel;
  const mine = best && own[best.ruleId];
  return (
    <ChannelSummary
      channel={channel}
      {...(heading && { heading })}
      aside={t('browse.rules', { count: openRules })}
    >
      {best && <Best {...best} />}
      {mine && <OwnBegun own={mine} asked={best.asks} />}
      <div className="channel__foot">
        {freeRewards > 0 ? (
          <span>{t('browse.left', { count: freeRewards })}</span>
        ) : (
          <span className="line line-tight">
            <Icon of={Package} size="small" className="warn" />
            {t('browse.noneLeft')}
          </span>
        )}
        <ClaimTimeout {...channel} />
      </div>
    </ChannelSummary>
  );
}
