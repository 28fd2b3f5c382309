import { useTranslation } from '#app/components/text/translation.tsx';
import { conditionPart } from './condition-part.ts';
import { Amount } from './inputs.tsx';

export const channelPoints = conditionPart({
  asks: 'pointsCost',
  amount: { field: 'pointsCost', start: '1000' },
  answers: {},
  asked: ({ amount }) => ({ pointsCost: amount }),
  elsewhere: 'rules.form.pointsOwnOnly',
  Inputs({ fields }) {
    const { t } = useTranslation();
    return (
      <Amount
        field={fields.pointsCost}
        label={t('rules.form.pointsCost')}
        unit={t('rules.form.pointsUnit')}
      />
    );
  },
});
