import { Form } from 'react-router';
import { SubmitButton } from '#app/components/forms/button.tsx';
import { Sheet } from '#app/components/shell/sheet.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';

function NumberField({
  label,
  name,
  value,
  min,
  max,
}: {
  label: string;
  name: string;
  value: number | '';
  min: number;
  max: number;
}) {
  return (
    <label className="field">
      <span className="field__label">{label}</span>
      <input className="input" type="number" name={name} min={min} max={max} defaultValue={value} />
    </label>
  );
}

/** The form with which a streamer prepares a raffle. */
export function PrepareForm({
  kinds,
  requestId,
  paidDrawsAllowed,
}: {
  kinds: readonly { key: string; name: string; available: number }[];
  requestId: string;
  /** True if the operator allows to ask for a subscription. */
  paidDrawsAllowed: boolean;
}) {
  const { t } = useTranslation();
  const { winners, minutes, followDays, watchHours, attendedStreams } = raffleLimits;
  const { subscriberTier, winnersOutDays } = raffleLimits;
  return (
    <Sheet title={t('raffle.prepare')}>
      <Form method="post" className="stack stack-4">
        <input type="hidden" name="act" value="prepare" />
        <input type="hidden" name="requestId" value={requestId} />
        <label className="field">
          <span className="field__label">{t('raffle.keyword')}</span>
          <input className="input" name="keyword" required maxLength={26} />
        </label>
        <label className="field">
          <span className="field__label">{t('raffle.item')}</span>
          <select className="input" name="kind" required>
            {kinds.map(({ key, name, available }) => (
              <option key={key} value={key}>
                {t('raffle.itemOf', { name, count: available })}
              </option>
            ))}
          </select>
        </label>
        <NumberField label={t('raffle.winners')} name="winners" value={1} {...winners} />
        <NumberField label={t('raffle.minutes')} name="minutes" value={5} {...minutes} />
        <fieldset className="stack stack-4">
          <legend>{t('raffle.whoMayEnter')}</legend>
          <p className="s13 muted">{t('raffle.emptyForAll')}</p>
          <NumberField label={t('raffle.follow')} name="followDays" value="" {...followDays} />
          <NumberField label={t('raffle.watch')} name="watchHours" value="" {...watchHours} />
          <NumberField label={t('raffle.streams')} name="attendedStreams" value="" {...attendedStreams} />
          {paidDrawsAllowed && (
            <NumberField label={t('raffle.tier')} name="subscriberTier" value="" {...subscriberTier} />
          )}
          <NumberField label={t('raffle.winnersOut')} name="winnersOutDays" value={0} {...winnersOutDays} />
          <label className="line">
            <input type="checkbox" name="moderators" defaultChecked /> {t('raffle.moderators')}
          </label>
        </fieldset>
        <SubmitButton>{t('raffle.prepare')}</SubmitButton>
      </Form>
    </Sheet>
  );
}

/** The bounds as the browser knows them; the server checks its own. */
const raffleLimits = {
  winners: { min: 1, max: 25 },
  minutes: { min: 1, max: 120 },
  followDays: { min: 1, max: 3650 },
  watchHours: { min: 1, max: 8760 },
  attendedStreams: { min: 1, max: 50 },
  subscriberTier: { min: 1, max: 3 },
  winnersOutDays: { min: 0, max: 365 },
} as const;
