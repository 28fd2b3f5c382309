import { Choice } from '#app/components/forms/choices.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { conditionPart } from './condition-part.ts';
import { Amount, Answers, textOf } from './inputs.tsx';

const units = ['hours', 'minutes'] as const;
const scopes = ['sinceRule', 'allTime'] as const;

export const watchTime = conditionPart({
  column: 'watchMinutes',
  amount: { field: 'watchAmount', start: '10' },
  answers: { watchUnit: units, watchScope: scopes },
  asked: ({ amount, watchUnit, watchScope }) => ({
    watchMinutes: amount && amount * (watchUnit === 'hours' ? 60 : 1),
    watchScope,
  }),
  Inputs({ fields }) {
    const { t } = useTranslation();
    return (
      <span className="line line-tight line-nowrap">
        <Amount field={fields.watchAmount} label={t('rules.form.watchAmount')} unit="" />
        <Answers
          field={fields.watchUnit}
          label={t('rules.form.watchUnit')}
          answers={units.map((unit) => [unit, t(`rules.form.${unit}`)])}
        />
      </span>
    );
  },
  More({ fields: { watchScope } }) {
    const { t } = useTranslation();
    return (
      <div className="sheet__pad">
        <fieldset className="grid-2">
          <legend className="field__label">{t('rules.form.scope')}</legend>
          {scopes.map((scope) => (
            <Choice
              key={scope}
              name={watchScope.name}
              value={scope}
              defaultChecked={(textOf(watchScope.initialValue) ?? 'sinceRule') === scope}
              title={t(`rules.form.${scope}`)}
            >
              {t(`rules.form.${scope}Text`)}
            </Choice>
          ))}
        </fieldset>
      </div>
    );
  },
});
