import { Form } from 'react-router';
import { ButtonLink, SubmitButton } from '#app/components/forms/button.tsx';
import { FormErrors } from '#app/components/forms/field.tsx';
import { DefaultSubmit } from '#app/components/forms/stepper.tsx';
import type { PickerEntries } from '#app/components/rules/picker-entries.ts';
import { useTranslation } from '#app/components/text/translation.tsx';
import { KindPicker, type WeightBounds } from './kind-picker.tsx';
import { type PickableKind, usePicker } from './use-picker.ts';

type Props = {
  change: 'add' | 'remove';
  kinds: readonly PickableKind[];
  start: PickerEntries;
  requestId: string;
  back: string;
  error?: string | undefined;
  weights?: WeightBounds | null | undefined;
};

/** A form of quantities to add to a rule, or to remove from it. */
export function QuantityForm({ change, kinds, start, requestId, back, error, weights }: Props) {
  const { t } = useTranslation();
  const picker = usePicker(kinds, start);
  return (
    <Form method="post" className="stack">
      <DefaultSubmit />
      <FormErrors id="quantities" errors={error === undefined ? undefined : [error]} />
      <input type="hidden" name="requestId" value={requestId} />
      <KindPicker picker={picker} change={change} weights={weights} />
      <div className="line">
        <SubmitButton size="large">{t(`rules.${change}.act`)}</SubmitButton>
        <ButtonLink kind="quiet" size="large" to={back}>
          {t('common.cancel')}
        </ButtonLink>
      </div>
    </Form>
  );
}
