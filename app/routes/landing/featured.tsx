import { ButtonLink } from '#app/components/forms/button.tsx';
import { Radio } from '#app/components/icons/signs.ts';
import { EmptyState } from '#app/components/lists/list-states.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { ChannelCard } from '#app/routes/channels/channel-card.tsx';
import type { ShownChannel } from '#app/routes/channels/channel-summary.tsx';
import type { OwnStandings } from '#app/services/channels/own-standings.server.ts';

type FeaturedProps = { channels: readonly ShownChannel[]; own: OwnStandings };

/** Channels with rewards to earn now; if there are none, how to become one. */
export function Featured({ channels, own }: FeaturedProps) {
  const { t } = useTranslation();
  return (
    <section className="band" id="channels">
      <div className="wrap stack stack-8">
        <h2>{t('landing.featured.heading')}</h2>
        {channels.length === 0 ? (
          <EmptyState
            icon={Radio}
            title={t('landing.featured.none')}
            action={<ButtonLink to="/auth/signup">{t('landing.start')}</ButtonLink>}
          >
            {t('landing.featured.become')}
          </EmptyState>
        ) : (
          <div className="grid-3">
            {channels.map((channel) => (
              <ChannelCard key={channel.id} channel={channel} own={own} heading="h3" />
            ))}
          </div>
        )}
      </div>
    </section>
  );
}
