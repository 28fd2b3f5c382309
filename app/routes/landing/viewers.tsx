import { ButtonLink } from '#app/components/forms/button.tsx';
import { Icon } from '#app/components/icons/icon.tsx';
import { Check, Clock, Heart } from '#app/components/icons/signs.ts';
import { ItemLine } from '#app/components/items/item-line.tsx';
import { Live } from '#app/components/lists/list-states.tsx';
import { Condition } from '#app/components/rules/condition.tsx';
import { Avatar } from '#app/components/shell/shell.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { redline } from './examples.ts';

function ExampleProgress() {
  const { t } = useTranslation();
  return (
    <div className="sheet">
      <div className="sheet__head">
        <span className="line line-tight">
          <Avatar name="Demo_Streamer" url={null} size="small" />
          <b>Demo_Streamer</b>
        </span>
        <Live on />
      </div>
      <div className="sheet__pad stack">
        <ItemLine
          {...redline.picture}
          name={t('landing.steps.ruleName')}
          meta={t('landing.viewers.exampleItems')}
        />
        <Condition
          name={t('landing.viewers.watch')}
          icon={Clock}
          value={t('landing.viewers.watched')}
          goal={t('landing.viewers.watchGoal')}
          met={false}
          progress={{ value: 432, max: 600 }}
        />
        <Condition
          name={t('landing.viewers.follow')}
          icon={Heart}
          value={t('landing.viewers.followed')}
          goal={t('landing.viewers.followGoal')}
          met
          progress={{ value: 30, max: 30 }}
        />
      </div>
      <div className="sheet__foot">{t('landing.viewers.exampleFoot')}</div>
    </div>
  );
}

const promises = ['counts', 'link', 'nothing'] as const;

/** The entry for viewers. */
export function Viewers() {
  const { t } = useTranslation();
  return (
    <section className="band band--raised" id="viewers">
      <div className="wrap halves">
        <div>
          <h2>{t('landing.viewers.heading')}</h2>
          <p className="band__lede mt-6">{t('landing.viewers.lede')}</p>
          <ul className="ticks mt-6">
            {promises.map((promise) => (
              <li key={promise}>
                <Icon of={Check} />
                {t(`landing.viewers.${promise}`)}
              </li>
            ))}
          </ul>
          <div className="hero__cta">
            <ButtonLink size="large" to="/auth/signin">
              {t('landing.viewers.signIn')}
            </ButtonLink>
          </div>
        </div>
        <ExampleProgress />
      </div>
    </section>
  );
}
