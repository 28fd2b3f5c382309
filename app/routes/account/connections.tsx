import { Badge } from '#app/components/feedback/badge.tsx';
import { Callout } from '#app/components/feedback/callout.tsx';
import { ConfirmDialog } from '#app/components/feedback/confirm.tsx';
import { ButtonLink } from '#app/components/forms/button.tsx';
import { CircleCheck, TriangleAlert } from '#app/components/icons/signs.ts';
import { Sheet } from '#app/components/shell/sheet.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { Account } from '#domain/account/get-account.ts';
import { isolated } from '#platform/isolated.ts';

type Twitch = NonNullable<Account['twitch']>;
const permissionsPage = '/auth/twitch?permissions=streamer';

const scopeWords = {
  'moderator:read:chatters': 'chatters',
  'moderator:read:followers': 'followers',
  'channel:read:subscriptions': 'subscriptions',
} as const;

/** The permissions that a streamer's channel still lacks, as text. */
function MissingScopes({ scopes }: { scopes: readonly string[] }) {
  const { t } = useTranslation();
  const known = Object.entries(scopeWords).filter(([scope]) => scopes.includes(scope));
  return (
    <>
      <p className="s13 muted">{t('profile.twitch.lacking')}</p>
      <ul className="s13 muted">
        {known.map(([scope, word]) => (
          <li key={scope}>{t(`profile.twitch.scope.${word}`)}</li>
        ))}
      </ul>
    </>
  );
}

/** The permissions that this account lacks for streaming, if any. */
function Permissions({ twitch }: { twitch: Twitch }) {
  const { t } = useTranslation();
  if (twitch.isMissing || twitch.state === 'restricted') {
    return (
      <Callout type="danger">
        <p>{t(twitch.isMissing ? 'errors.twitch.missing' : 'errors.twitch.broken')}</p>
      </Callout>
    );
  }
  if (twitch.streamingFeaturesEnabled)
    return (
      <p className="muted">
        {t('profile.twitch.extendedOn')} {!twitch.pointsEnabled && t('profile.twitch.pointsOff')}
      </p>
    );
  // A viewer's account has none of them; an owner with some of them meant to stream.
  const partly = twitch.missingScopes.length < Object.keys(scopeWords).length;
  return (
    <>
      {partly && (
        <Callout type="warning">
          <p>{t('errors.twitch.missingPermissions')}</p>
        </Callout>
      )}
      <p>{t('profile.twitch.extendedOff')}</p>
      <MissingScopes scopes={twitch.missingScopes} />
    </>
  );
}

/** The confirmation page explains why the only way to sign in cannot be disconnected. */
function Disconnect({ twitch, hasPassword }: { twitch: Twitch; hasPassword: boolean }) {
  const { t } = useTranslation();
  return (
    <ConfirmDialog
      page="/twitch/unlink"
      opener={t('profile.twitch.disconnect')}
      openerPlain={!hasPassword}
      title={t('profile.twitch.question', { name: twitch.displayName })}
      text={`${t('profile.twitch.consequence')} ${t('profile.twitch.pointsConsequence')}`}
      act={t('profile.twitch.disconnect')}
      keep={t('profile.twitch.keep')}
      destructive
    />
  );
}

/** The Twitch account of a profile: connect, permit, disconnect. Links to Twitch are full page loads. */
export function TwitchLink({
  twitch,
  canUseTwitch,
  hasPassword,
}: {
  twitch: Twitch | null;
  canUseTwitch: boolean;
  hasPassword: boolean;
}) {
  const { t } = useTranslation();
  if (!twitch) {
    return (
      <Sheet title={t('profile.twitch.title')}>
        <p className="muted">{canUseTwitch ? t('profile.twitch.none') : t('errors.twitch.notConfigured')}</p>
        {canUseTwitch && (
          <div className="line">
            <ButtonLink to="/auth/twitch" reloadDocument>
              {t('profile.twitch.connect')}
            </ButtonLink>
          </div>
        )}
      </Sheet>
    );
  }
  const state = twitch.isMissing ? 'missing' : twitch.state;
  const isFine = state === 'connected';
  const badge = (
    <Badge type={isFine ? 'success' : 'danger'} icon={isFine ? CircleCheck : TriangleAlert}>
      {t(`profile.twitch.${state}`)}
    </Badge>
  );
  return (
    <Sheet title={t('profile.twitch.title')} aside={badge}>
      <p>{t('profile.twitch.as', { name: twitch.displayName })}</p>
      <Permissions twitch={twitch} />
      <div className="line">
        {!twitch.isMissing && !twitch.streamingFeaturesEnabled && (
          <ButtonLink to={permissionsPage} reloadDocument>
            {state === 'restricted' ? t('profile.twitch.reconnect') : t('profile.twitch.allow')}
          </ButtonLink>
        )}
        {twitch.streamingFeaturesEnabled && !twitch.pointsEnabled && (
          <ButtonLink to="/auth/twitch?permissions=points" reloadDocument>
            {t('profile.twitch.allowPoints')}
          </ButtonLink>
        )}
        <Disconnect twitch={twitch} hasPassword={hasPassword} />
      </div>
    </Sheet>
  );
}

/** The Steam account of a profile: connect and disconnect. */
export function SteamLink({ steam }: { steam: Account['steam'] }) {
  const { t } = useTranslation();
  if (!steam) {
    return (
      <Sheet title={t('profile.steam.title')}>
        <p className="muted">{t('profile.steam.none')}</p>
        <div className="line">
          <ButtonLink to="/steam/link" reloadDocument>
            {t('profile.steam.connect')}
          </ButtonLink>
        </div>
      </Sheet>
    );
  }
  const state = (
    <Badge type="success" icon={CircleCheck}>
      {t('profile.steam.connected')}
    </Badge>
  );
  return (
    <Sheet title={t('profile.steam.title')} aside={state}>
      <dl className="kv kv--start">
        <dt>{t('profile.steam.id')}</dt>
        <dd>
          <code>{steam.steamId}</code> {isolated(steam.personaName)}
        </dd>
      </dl>
      <div className="line">
        <ConfirmDialog
          page="/steam/unlink"
          opener={t('profile.steam.disconnect')}
          title={t('profile.steam.question', { name: steam.personaName || steam.steamId })}
          text={t('profile.steam.consequence')}
          act={t('profile.steam.disconnect')}
          keep={t('profile.steam.keep')}
          destructive
        />
      </div>
    </Sheet>
  );
}
