import { ButtonLink } from '#app/components/forms/button.tsx';
import { Eye, Lock, ShieldCheck } from '#app/components/icons/signs.ts';
import type { PageHandle } from '#app/components/shell/page-handle.ts';
import { PageTitle } from '#app/components/shell/page-title.tsx';
import { PublicShell } from '#app/components/shell/public-shell.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { cachedPageFor } from '#app/middleware/cached-page.server.ts';
import { orUnavailable } from '#app/services/available.server.ts';
import { planTables } from '#app/services/billing/plans.server.ts';
import { cardsOf } from '#app/services/channels/channel-cards.server.ts';
import { ownBest } from '#app/services/channels/own-standings.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { listChannels } from '#domain/channel/list-channels.ts';
import { freeInstance } from '#domain/plan/limits-of.ts';
import type { Route } from './+types/landing.ts';
import { Blurbs } from './blurbs.tsx';
import { Featured } from './featured.tsx';
import { ItemLife } from './item-life.tsx';
import { Pricing } from './pricing.tsx';
import { Safety } from './safety.tsx';
import { Steps } from './steps.tsx';
import { Viewers } from './viewers.tsx';

/** The maximum age of the featured channels. */
const MAX_AGE_MS = 60_000;
const FEATURED = 3;

export const middleware: Route.MiddlewareFunction[] = [cachedPageFor(MAX_AGE_MS)];

export const handle: PageHandle = { plain: true };

export async function loader({ context }: Route.LoaderArgs) {
  const nowMs = await domainNow();
  const featured = await orUnavailable(context, async () => {
    const db = await database();
    const channels = await cardsOf(db, (await listChannels(db, { size: FEATURED })).rows);
    return { channels, own: await ownBest(context, channels, nowMs) };
  });
  return { featured, limits: freeInstance(nowMs), plans: planTables() };
}

function Hero({ isSold }: { isSold: boolean }) {
  const { t } = useTranslation();
  return (
    <div className="wrap hero">
      <div>
        <h1>{t('landing.heading')}</h1>
        <p className="hero__lede">{t('landing.lede')}</p>
        <div className="hero__cta">
          <ButtonLink kind="primary" size="large" to="/auth/signup?as=streamer">
            {t('landing.start')}
          </ButtonLink>
          <ButtonLink size="large" to="/#viewers">
            {t('landing.watch')}
          </ButtonLink>
        </div>
        <p className="s13 muted mt-6">{t(isSold ? 'landing.freeStart' : 'landing.freeNote')}</p>
      </div>
      <ItemLife />
    </div>
  );
}

const blurbs = [
  { name: 'conditions', icon: Eye },
  { name: 'custody', icon: Lock },
  { name: 'draws', icon: ShieldCheck },
] as const;

function About() {
  const { t } = useTranslation();
  return (
    <section className="band band--blurbs" id="about">
      <div className="wrap">
        <h2 className="vh">{t('landing.blurbs.heading')}</h2>
        <Blurbs
          blurbs={blurbs.map(({ name, icon }) => ({
            icon,
            title: t(`landing.blurbs.${name}`),
            text: t(`landing.blurbs.${name}Text`),
          }))}
        />
      </div>
    </section>
  );
}

function Closing() {
  const { t } = useTranslation();
  return (
    <section className="band">
      <div className="wrap">
        <h2>{t('landing.closing.heading')}</h2>
        <p className="band__lede mt-6">{t('landing.closing.text')}</p>
        <div className="hero__cta">
          <ButtonLink kind="primary" size="large" to="/auth/signup?as=streamer">
            {t('landing.start')}
          </ButtonLink>
        </div>
      </div>
    </section>
  );
}

export default function Landing({ loaderData: { featured, limits, plans } }: Route.ComponentProps) {
  const { t } = useTranslation();
  return (
    <PublicShell>
      <PageTitle description={t('landing.description')}>{t('landing.title')}</PageTitle>
      <Hero isSold={plans !== null} />
      <About />
      <Steps />
      <Safety />
      <Viewers />
      {featured && <Featured {...featured} />}
      <Pricing limits={limits} plans={plans} />
      <Closing />
    </PublicShell>
  );
}
