import type { ReactNode } from 'react';
import { ButtonLink } from '#app/components/forms/button.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';

/** Signing in with Twitch, above the email form. It leaves this site, so it is a full navigation. */
export function TwitchSignIn({ note, streams = false }: { note?: ReactNode; streams?: boolean }) {
  const { t } = useTranslation();
  return (
    <>
      <div className="stack stack-2">
        <ButtonLink
          to={streams ? '/auth/twitch?permissions=streamer' : '/auth/twitch'}
          reloadDocument
          size="large"
          wide
        >
          {t('auth.byTwitch')}
        </ButtonLink>
        {note && <p className="s13 muted">{note}</p>}
      </div>
      <div className="or">{t('auth.orByEmail')}</div>
    </>
  );
}
