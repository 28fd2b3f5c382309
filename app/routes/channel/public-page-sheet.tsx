import { Form } from 'react-router';
import { ButtonLink, SubmitButton } from '#app/components/forms/button.tsx';
import { Check } from '#app/components/forms/choices.tsx';
import { Sheet } from '#app/components/shell/sheet.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';

/** The setting that lists the channel and gives it a public page. */
export function PublicPageSheet({ channel }: { channel: { login: string; hidden: boolean } }) {
  const { t } = useTranslation();
  return (
    <Sheet title={t('channelPage.setting.title')}>
      <Form className="stack" method="post" action="/channel/visibility">
        <p className="muted">{t('channelPage.setting.text')}</p>
        <Check name="public" value="on" defaultChecked={!channel.hidden}>
          {t('channelPage.setting.show')}
        </Check>
        <div className="line">
          <SubmitButton kind="secondary" formAction="/channel/visibility">
            {t('channelPage.setting.save')}
          </SubmitButton>
          {!channel.hidden && (
            <ButtonLink kind="quiet" to={`/channels/${channel.login}`} reloadDocument>
              {t('channelPage.setting.open')}
            </ButtonLink>
          )}
        </div>
      </Form>
    </Sheet>
  );
}
