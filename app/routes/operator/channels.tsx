import { Badge } from '#app/components/feedback/badge.tsx';
import { CircleAlert } from '#app/components/icons/signs.ts';
import { Sheet } from '#app/components/shell/sheet.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { TrackedChannel, TrackedChannels } from '#domain/operator/list-tracked-channels.ts';
import { useAgeText } from './age-text.ts';

function ChannelRow({ channel, nowMs }: { channel: TrackedChannel; nowMs: number }) {
  const { t } = useTranslation();
  const age = useAgeText();
  const { displayName, live, trouble, watchedUntilMs } = channel;
  return (
    <div className="op-channel">
      <b>{displayName}</b>
      <span className={live ? 'live live--on' : 'live'}>
        {t(live ? 'operator.channels.live' : 'operator.channels.offline')}
      </span>
      <span>
        {trouble ? (
          <Badge type="warning" icon={CircleAlert}>
            {t(`operator.channels.trouble.${trouble}`)}
          </Badge>
        ) : (
          <span className="faint">
            {watchedUntilMs === null
              ? t('operator.channels.unread')
              : t('operator.channels.read', { time: age(Math.max(0, nowMs - watchedUntilMs)) })}
          </span>
        )}
      </span>
    </div>
  );
}

/** The channels that are tracked: those in trouble, then those that are live. */
export function Channels({ channels, nowMs }: { channels: TrackedChannels; nowMs: number }) {
  const { t } = useTranslation();
  const { listed, total, live, gaps } = channels;
  return (
    <Sheet
      title={t('operator.channels.title')}
      foot={
        <span>
          {t('operator.channels.sum', { live, total })} {t('operator.channels.gaps', { count: gaps })}
        </span>
      }
      rows
    >
      {listed.length === 0 && <p className="sheet__pad s13 muted">{t('operator.channels.none')}</p>}
      {listed.map((channel) => (
        <ChannelRow key={channel.id} channel={channel} nowMs={nowMs} />
      ))}
    </Sheet>
  );
}
