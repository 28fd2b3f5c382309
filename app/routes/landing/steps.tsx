import { Icon } from '#app/components/icons/icon.tsx';
import { Clock, Heart } from '#app/components/icons/signs.ts';
import { ItemLine } from '#app/components/items/item-line.tsx';
import { Timeline } from '#app/components/lists/timeline.tsx';
import { Pool } from '#app/components/rules/pool.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { bloodhound, caseHardened } from './examples.ts';

function DepositDemo() {
  const { t } = useTranslation();
  return (
    <div className="sheet rows">
      <div className="sheet__pad">
        <ItemLine
          {...caseHardened.picture}
          name={caseHardened.name}
          meta={t('landing.steps.depositAvailable')}
        />
      </div>
      <div className="sheet__pad">
        <ItemLine {...bloodhound.picture} name={bloodhound.name} meta={t('landing.steps.depositCooldown')} />
      </div>
    </div>
  );
}

function RuleDemo() {
  const { t } = useTranslation();
  return (
    <div className="sheet">
      <div className="sheet__pad stack stack-3">
        <h4 className="strong">{t('landing.steps.ruleName')}</h4>
        <div className="rule__conds">
          <span>
            <Icon of={Clock} />
            {t('landing.steps.ruleWatch')}
          </span>
          <span>
            <Icon of={Heart} />
            {t('landing.steps.ruleFollow')}
          </span>
        </div>
        <Pool counts={{ claimed: 9, reserved: 1, promised: 3, free: 7 }} />
        <p className="s13 muted">{t('landing.steps.rulePreview')}</p>
      </div>
    </div>
  );
}

function ClaimDemo() {
  const { t } = useTranslation();
  return (
    <div className="sheet">
      <div className="sheet__pad">
        <Timeline
          steps={[
            { key: 'claimed', label: t('landing.steps.claimed'), state: 'done', time: '18:02' },
            { key: 'sent', label: t('landing.steps.sent'), state: 'done', time: '18:02' },
            { key: 'accepted', label: t('landing.steps.accepted'), state: 'now', time: '18:06' },
          ]}
        />
      </div>
    </div>
  );
}

const steps = [
  { name: 'deposit', Demo: DepositDemo },
  { name: 'rule', Demo: RuleDemo },
  { name: 'claim', Demo: ClaimDemo },
] as const;

/** A streamer's steps, each with a picture of it. */
export function Steps() {
  const { t } = useTranslation();
  return (
    <section className="band" id="how">
      <div className="wrap">
        <h2>{t('landing.steps.heading')}</h2>
        <ol className="how mt-12">
          {steps.map(({ name, Demo }) => (
            <li className="how__step" key={name}>
              <span className="how__n" aria-hidden="true" />
              <h3>{t(`landing.steps.${name}`)}</h3>
              <p>{t(`landing.steps.${name}Text`)}</p>
              <div className="how__demo">
                <Demo />
              </div>
            </li>
          ))}
        </ol>
      </div>
    </section>
  );
}
