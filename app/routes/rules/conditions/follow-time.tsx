import { useTranslation } from '#app/components/text/translation.tsx';
import { conditionPart } from './condition-part.ts';
import { Amount } from './inputs.tsx';

export const followTime = conditionPart({
  column: 'followDays',
  amount: { field: 'followDays', start: '30' },
  answers: {},
  asked: ({ amount }) => ({ followDays: amount }),
  Inputs({ fields }) {
    const { t } = useTranslation();
    return (
      <Amount field={fields.followDays} label={t('rules.form.followDays')} unit={t('rules.form.days')} />
    );
  },
});
