import { Form } from 'react-router';
import { SubmitButton } from '#app/components/forms/button.tsx';
import { Check } from '#app/components/forms/choices.tsx';
import { Sheet } from '#app/components/shell/sheet.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';

/** The setting that shows or hides the user's name on public pages. */
export function PublicName({ hidesName }: { hidesName: boolean }) {
  const { t } = useTranslation();
  return (
    <Sheet title={t('channelPage.names.title')}>
      <Form className="stack" method="post" action="/settings/public-name">
        <p className="muted">{t('channelPage.names.text')}</p>
        <Check name="hides_name" value="on" defaultChecked={hidesName}>
          {t('channelPage.names.hide')}
        </Check>
        <div className="line">
          <SubmitButton kind="secondary" formAction="/settings/public-name">
            {t('channelPage.names.save')}
          </SubmitButton>
        </div>
      </Form>
    </Sheet>
  );
}
