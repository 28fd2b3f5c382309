import { Callout } from '#app/components/feedback/callout.tsx';
import { SectionHead } from '#app/components/shell/page-head.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { conditionPart } from './condition-part.ts';
import { Amount } from './inputs.tsx';

export const channelPoints = conditionPart({
  column: 'pointsCost',
  amount: { field: 'pointsCost', start: '1000' },
  answers: {},
  asked: ({ amount }) => ({ pointsCost: amount }),
  elsewhere: { text: 'rules.form.pointsOwnOnly', refusal: 'pointsElsewhere' },
  permissionMissing: 'pointsPermissionMissing',
  affiliatesOnly: 'rules.customReward.fault.notAffiliate',
  noRewards: 'rules.noRewardsPoints',
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
  /** The state of the rule's custom reward on Twitch. */
  Aside({ rule: { customRewardState, customRewardFault } }) {
    const { t } = useTranslation();
    if (customRewardState === null) return null;
    return (
      <section>
        <SectionHead title={t('rules.customReward.title')} />
        <div className="sheet sheet__pad stack stack-3">
          <p className="strong">{t(`rules.customReward.state.${customRewardState}`)}</p>
          {customRewardFault && (
            <Callout type="warning">
              <p>{t(`rules.customReward.fault.${customRewardFault}`)}</p>
            </Callout>
          )}
        </div>
      </section>
    );
  },
});
