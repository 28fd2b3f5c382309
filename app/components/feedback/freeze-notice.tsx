import { ButtonLink } from '#app/components/forms/button.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { Callout } from './callout.tsx';

/** Notifies a user that the account is frozen, and links to the page where its owner ends that. */
export function FreezeNotice() {
  const { t } = useTranslation();
  return (
    <Callout type="warning" title={t('settings.freeze.notice')}>
      <p>{t('settings.freeze.noticeText')}</p>
      <div className="line">
        <ButtonLink to="/settings/freeze">{t('settings.freeze.toPage')}</ButtonLink>
      </div>
    </Callout>
  );
}
