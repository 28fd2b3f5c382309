import { Icon } from '#app/components/icons/icon.tsx';
import { Package } from '#app/components/icons/signs.ts';
import { useTranslation } from '#app/components/text/translation.tsx';
import { ChannelSummary, type ShownChannel } from './channel-summary.tsx';

/** The time that viewers of a channel have to claim. */
function ClaimTimeout({ minClaimHours: from, maxClaimHours: to }: ShownChannel) {
  const { t } = useTranslation();
  return <span>{from === to ? t('browse.claim', { hours: to }) : t('browse.claimRange', { from, to })}</span>;
}

/** A channel and its rewards. */
export function ChannelCard({ channel, heading }: { channel: ShownChannel; heading?: 'h2' | 'h3' }) {
  const { t } = useTranslation();
  const { freeRewards, openRules } = channel;
  return (
    <ChannelSummary
      channel={channel}
      {...(heading && { heading })}
      aside={t('browse.rules', { count: openRules })}
    >
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
