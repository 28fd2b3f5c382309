import type { ReactNode } from 'react';
import { ButtonLink } from '#app/components/forms/button.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';

/** Signing in with Twitch, above the email form, to go on with `to`. It leaves this site, so it is a full navigation. */
export function TwitchSignIn({
  note,
  streams,
  to,
}: {
  note?: ReactNode;
  streams?: boolean;
  to?: string | undefined;
}) {
  const { t } = useTranslation();
  const query = new URLSearchParams({
    ...(streams && { permissions: 'streamer' }),
    ...(to !== undefined && { from: 'signin', to }),
  });
  return (
    <>
      <div className="stack stack-2">
        <ButtonLink
          to={query.size > 0 ? `/auth/twitch?${query}` : '/auth/twitch'}
          reloadDocument
          kind="primary"
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
