import { Badge } from '#app/components/feedback/badge.tsx';
import { Icon } from '#app/components/icons/icon.tsx';
import { Clock, Eye, Gift, Heart, Lock, ShieldCheck } from '#app/components/icons/signs.ts';
import { ItemArt } from '#app/components/items/item-art.tsx';
import { ItemLine } from '#app/components/items/item-line.tsx';
import { Timeline } from '#app/components/lists/timeline.tsx';
import { Condition } from '#app/components/rules/condition.tsx';
import { Pool } from '#app/components/rules/pool.tsx';
import { Link } from '#app/components/shell/link.tsx';
import type { PageHandle } from '#app/components/shell/page-handle.ts';
import { PageTitle } from '#app/components/shell/page-title.tsx';
import { PublicShell } from '#app/components/shell/public-shell.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { entrance } from '#app/menu.ts';
import { cachedPage } from '#app/middleware/cached-page.server.ts';
import type { Route } from './+types/landing.ts';

export const middleware: Route.MiddlewareFunction[] = [cachedPage];

export const handle: PageHandle = { plain: true };

function ExampleReward() {
  const { t } = useTranslation();
  return (
    <section className="sheet" aria-label={t('landing.example')}>
      <div className="sheet__head">
        <span className="line line-tight">
          <span className="avatar avatar--s" aria-hidden="true">
            N
          </span>
          <b>{t('landing.exampleChannel')}</b>
        </span>
        <Badge type="accent" icon={Gift}>
          {t('landing.exampleReady')}
        </Badge>
      </div>
      <div className="sheet__pad stack">
        <ItemArt icon={null} rarity="covert" shape="rifle" />
        <div>
          <h2>AK-47 | Legion of Anubis</h2>
          <p className="faint s13">{t('landing.exampleMeta')}</p>
        </div>
        <Condition
          name={t('landing.exampleWatch')}
          icon={Clock}
          value={t('landing.exampleWatched')}
          goal={t('landing.exampleWatchGoal')}
          met
          progress={{ value: 10, max: 10 }}
        />
        <Condition
          name={t('landing.exampleFollow')}
          icon={Heart}
          value={t('landing.exampleFollowed')}
          goal={t('landing.exampleFollowGoal')}
          met
          progress={{ value: 30, max: 30 }}
        />
      </div>
      <div className="sheet__foot">{t('landing.exampleFoot')}</div>
    </section>
  );
}

function Hero() {
  const { t } = useTranslation();
  return (
    <div className="wrap hero">
      <div>
        <h1>{t('landing.heading')}</h1>
        <p className="hero__lede">{t('landing.lede')}</p>
        <div className="hero__cta">
          {entrance.signup && (
            <Link className="btn btn--primary btn--large" to={entrance.signup.to}>
              {t('landing.start')}
            </Link>
          )}
          <Link className="btn btn--secondary btn--large" to="/#how">
            {t('landing.how')}
          </Link>
        </div>
      </div>
      <ExampleReward />
    </div>
  );
}

const blurbs = [
  { name: 'conditions', icon: Eye },
  { name: 'custody', icon: Lock },
  { name: 'draws', icon: ShieldCheck },
] as const;

function Blurbs() {
  const { t } = useTranslation();
  return (
    <section className="band" id="about">
      <div className="wrap grid-3">
        {blurbs.map(({ name, icon }) => (
          <div className="blurb" key={name}>
            <Icon of={icon} size="large" />
            <h3>{t(`landing.blurbs.${name}`)}</h3>
            <p>{t(`landing.blurbs.${name}Text`)}</p>
          </div>
        ))}
      </div>
    </section>
  );
}

function DepositDemo() {
  const { t } = useTranslation();
  return (
    <div className="sheet rows">
      <div className="sheet__pad">
        <ItemLine
          icon={null}
          rarity="classified"
          shape="rifle"
          name="AK-47 | Case Hardened"
          meta={t('landing.steps.depositAvailable')}
        />
      </div>
      <div className="sheet__pad">
        <ItemLine
          icon={null}
          rarity="covert"
          shape="gloves"
          name="★ Bloodhound Gloves | Guerrilla"
          meta={t('landing.steps.depositCooldown')}
        />
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
        <Pool counts={{ claimed: 9, reserved: 1, promised: 3, free: 11 }} />
        <span className="s13 muted">{t('landing.steps.rulePreview')}</span>
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

function HowItWorks() {
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

export default function Landing() {
  const { t } = useTranslation();
  return (
    <PublicShell>
      <PageTitle description={t('landing.description')}>{t('landing.title')}</PageTitle>
      <Hero />
      <Blurbs />
      <HowItWorks />
    </PublicShell>
  );
}
