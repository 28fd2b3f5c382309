import { useTranslation } from '#app/components/text/translation.tsx';
import type { SubscriberTier } from '#db/schema/rule.ts';
import { conditionPart } from './condition-part.ts';
import { Answers } from './inputs.tsx';

const tiers = ['1', '2', '3'] as const;

export const subscription = conditionPart({
  column: 'subscriberTier',
  amount: null,
  answers: { subscriberTier: tiers },
  asked: ({ subscriberTier }) => ({ subscriberTier: Number(subscriberTier) as SubscriberTier }),
  affiliatesOnly: 'rules.subscribersFault.notAffiliate',
  Inputs({ fields }) {
    const { t } = useTranslation();
    return (
      <Answers
        field={fields.subscriberTier}
        label={t('rules.form.subscriberTier')}
        answers={tiers.map((tier) => [tier, t(`rules.form.tier${tier}`)])}
      />
    );
  },
});
