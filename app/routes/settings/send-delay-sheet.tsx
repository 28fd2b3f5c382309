import { Form } from 'react-router';
import { SubmitButton } from '#app/components/forms/button.tsx';
import { Segmented } from '#app/components/forms/choices.tsx';
import { Sheet } from '#app/components/shell/sheet.tsx';
import { useSpanText } from '#app/components/text/amounts.tsx';
import { useTimeText } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { SendDelaySetting } from '#domain/identity/send-delay.ts';

/** The choice of a delay for the items of new rules. */
export function SendDelay({ setting, delays }: { setting: SendDelaySetting; delays: readonly number[] }) {
  const { t } = useTranslation();
  const span = useSpanText();
  const time = useTimeText();
  const nameOf = (hours: number) => (hours === 0 ? t('settings.sendDelay.none') : span(hours * 3600));
  const { hours, next } = setting;
  return (
    <Sheet title={t('settings.sendDelay.title')}>
      <Form id="send-delay" className="stack" method="post" action="/settings/send-delay">
        <p className="muted">{t('settings.sendDelay.text')}</p>
        <Segmented
          legend={t('settings.sendDelay.title')}
          name="hours"
          value={String(next?.hours ?? hours)}
          segments={delays.map((each) => ({ value: String(each), label: nameOf(each) }))}
        />
        {next && (
          <p role="status">
            {t('settings.sendDelay.next', {
              present: nameOf(hours),
              date: time(next.atMs, 'deadline'),
              next: nameOf(next.hours),
            })}
          </p>
        )}
        <p className="s13 muted">{t('settings.sendDelay.shorter')}</p>
        <div className="line">
          <SubmitButton kind="secondary" formAction="/settings/send-delay">
            {t('settings.sendDelay.save')}
          </SubmitButton>
        </div>
      </Form>
    </Sheet>
  );
}
