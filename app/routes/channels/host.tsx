import { ButtonLink } from '#app/components/forms/button.tsx';
import { Icon } from '#app/components/icons/icon.tsx';
import { ExternalLink } from '#app/components/icons/signs.ts';
import { Live } from '#app/components/lists/list-states.tsx';
import { useSites } from '#app/components/shell/page-context.tsx';
import { useSpanText } from '#app/components/text/amounts.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { PublicChannel } from '#domain/channel/find-public-channel.ts';
import { joined } from '#platform/isolated.ts';

/** Returns how long a channel has been live; null while it is offline or unknown. */
export const liveSecondsOf = ({ streamStartedAtMs: since }: PublicChannel, nowMs: number): number | null =>
  since === null ? null : Math.max(0, Math.floor((nowMs - since) / 1000));

/** Shows whether a channel is live, since when, and its game. */
export function LiveState({ channel, liveSeconds }: { channel: PublicChannel; liveSeconds: number | null }) {
  const { t } = useTranslation();
  const span = useSpanText();
  const state = channel.live
    ? liveSeconds === null
      ? t('common.online')
      : t('channelPage.liveFor', { span: span(liveSeconds) })
    : t('common.offline');
  return <Live on={channel.live}>{joined([state, channel.gameName], ' · ')}</Live>;
}

/** The ways on from a channel's public pages: to its stream, and for visitors first to what they would see here. */
export function HostActions({ login, isMember }: { login: string; isMember: boolean }) {
  const { t } = useTranslation();
  const sites = useSites();
  return (
    <div className="host__act">
      <ButtonLink
        kind={isMember ? 'primary' : 'secondary'}
        size="large"
        to={sites.channel(login)}
        reloadDocument
      >
        {t('progress.watchOnTwitch')}
        <Icon of={ExternalLink} size="small" />
      </ButtonLink>
      <ButtonLink
        kind={isMember ? 'secondary' : 'primary'}
        size="large"
        to={isMember ? '/rewardProgress' : '/auth/signin'}
      >
        {t(isMember ? 'channelPage.progress' : 'channelPage.signIn')}
      </ButtonLink>
    </div>
  );
}
