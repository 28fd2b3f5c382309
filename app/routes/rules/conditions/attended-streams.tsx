import { FieldError } from '#app/components/forms/field.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { conditionPart } from './condition-part.ts';
import { Amount } from './inputs.tsx';

export const attendedStreams = conditionPart({
  column: 'attendedStreams',
  amount: { field: 'attendedStreams', start: '8' },
  limit: { field: 'ofLastStreams', column: 'ofLastStreams' },
  answers: {},
  asked: ({ amount, limit }) => ({ attendedStreams: amount, ofLastStreams: amount && limit }),
  impossible: 'lastStreamsTooFew',
  Inputs({ fields }) {
    const { t } = useTranslation();
    return (
      <Amount
        field={fields.attendedStreams}
        label={t('rules.form.streamsAmount')}
        unit={t('rules.form.streamsUnit')}
      />
    );
  },
  More({ fields: { ofLastStreams } }) {
    const { t } = useTranslation();
    return (
      <div className="sheet__pad">
        <label className="field__label" htmlFor={ofLastStreams.id}>
          {t('rules.form.streamsOfLast')}
        </label>
        <Amount
          field={ofLastStreams}
          label={t('rules.form.streamsOfLast')}
          unit={t('rules.form.streamsOfLastUnit')}
        />
        <FieldError id={ofLastStreams.errorId} errors={ofLastStreams.errors} />
      </div>
    );
  },
});
