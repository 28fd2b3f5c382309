import { Link } from '#app/components/shell/link.tsx';
import { useTimeText } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { Presence } from '#domain/watch-time/read-presences.ts';

/** Says whether the last look at a live channel's chat found the viewer there, and why their time does not count. */
export function InChat({ presence }: { presence: Presence }) {
  const { t } = useTranslation();
  const clock = useTimeText();
  if (presence.lookedAtMs === null) return <p className="s13 muted">{t('progress.inChat.notLooked')}</p>;
  const time = clock(presence.lookedAtMs, 'time');
  return (
    <p className="s13 muted">
      {t(`progress.inChat.${presence.is}`, { time })}
      {presence.is === 'uncounted' && ` ${t(`progress.whyUncounted.${presence.reason}`)}`}
      {presence.is === 'uncounted' && presence.reason === 'bot' && (
        <>
          {' '}
          <Link to="/contact">{t('progress.notABot')}</Link>
        </>
      )}
    </p>
  );
}
