import { Badge } from '#app/components/feedback/badge.tsx';
import { Callout } from '#app/components/feedback/callout.tsx';
import { ButtonLink } from '#app/components/forms/button.tsx';
import { CircleCheck, Lock } from '#app/components/icons/signs.ts';
import { Sheet } from '#app/components/shell/sheet.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { Account } from '#domain/account/get-account.ts';

/** The second factor on a profile. Streamers, whose items others hold for them, are urged to turn it on. */
export function SecondFactorLink({ account }: { account: Account }) {
  const { t } = useTranslation();
  const { hasSecondFactor: isOn, twitch } = account;
  const state = (
    <Badge type={isOn ? 'success' : 'plain'} icon={isOn ? CircleCheck : Lock}>
      {isOn ? t('secondFactor.on') : t('secondFactor.off')}
    </Badge>
  );
  return (
    <Sheet title={t('secondFactor.title')} aside={state}>
      {!isOn && twitch?.missingScopes.length === 0 ? (
        <Callout type="warning">
          <p>{t('secondFactor.forStreamers')}</p>
        </Callout>
      ) : (
        <p className="muted">{t('secondFactor.text')}</p>
      )}
      <div className="line">
        <ButtonLink to="/profile/second-factor">
          {isOn ? t('secondFactor.manage') : t('secondFactor.setUp')}
        </ButtonLink>
      </div>
    </Sheet>
  );
}
