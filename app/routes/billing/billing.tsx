import { data, Form, redirect } from 'react-router';
import { Badge } from '#app/components/feedback/badge.tsx';
import { Callout } from '#app/components/feedback/callout.tsx';
import { Button } from '#app/components/forms/button.tsx';
import { Calendar, Gift } from '#app/components/icons/signs.ts';
import { Unavailable } from '#app/components/lists/list-states.tsx';
import { useLiveUpdates } from '#app/components/lists/live-updates.tsx';
import { PlanTable } from '#app/components/plans/plan-table.tsx';
import { PageHead } from '#app/components/shell/page-head.tsx';
import { LocalTime, useTimeText } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { config } from '#app/config.server.ts';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { orUnavailable } from '#app/services/available.server.ts';
import { chargesOf } from '#app/services/billing/charges.server.ts';
import { planTables } from '#app/services/billing/plans.server.ts';
import { subscriptionView } from '#app/services/billing/subscription-view.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { getUsage } from '#domain/plan/get-usage.ts';
import { getBilling } from '#domain/subscription/get-billing.ts';
import type { Route } from './+types/billing.ts';
import { Charges } from './charge-table.tsx';
import { PlanAct } from './plan-acts.tsx';
import { SubscriptionFacts, SubscriptionNotice } from './subscription-sheet.tsx';
import { UsageBars } from './usage-bars.tsx';

/** Number of charges that a page lists: a year of monthly ones. */
const CHARGES = 12;

/** All but the charges comes from the store, and the page is shown without them if Stripe does not answer in time. */
export async function loader({ request, context }: Route.LoaderArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const after = new URL(request.url).searchParams.get('charges');
  const loaded = await orUnavailable(context, async () => {
    const db = await database();
    const usage = await getUsage(db, userId, await domainNow());
    return { usage, overview: await overviewOf(userId) };
  });
  if (!loaded?.overview)
    return data(
      { usage: loaded?.usage ?? null, overview: null, charges: null },
      { status: loaded ? 200 : 503 },
    );
  return data({ ...loaded, charges: await chargesFrom(userId, after) }, { status: 200 });
}

/** Reads a page of charges. A cursor that leads nowhere starts over; null if they cannot be read now. */
async function chargesFrom(userId: string, after: string | null) {
  const read = await chargesOf(userId, { after, size: CHARGES });
  if (read.ok) return read.page;
  if (read.code === 'noSuchPage' && after !== null) throw redirect('/billing');
  return null;
}

async function overviewOf(userId: string) {
  const { billing } = config();
  const tables = planTables();
  if (!billing || !tables) return null;
  const { subscriptions, covered, ...facts } = await getBilling(await database(), userId, await domainNow());
  return {
    ...facts,
    tables,
    subscriptions: subscriptions.map((row) => subscriptionView(row, billing)),
    covered: covered.map(({ id, product, tier, endsAtMs }) => ({
      id,
      product,
      tier,
      endsAtMs: endsAtMs ?? 0,
    })),
  };
}

type Overview = NonNullable<Route.ComponentProps['loaderData']['overview']>;

/** Shown instead of a plan on an instance without billing. */
function FreeInstance() {
  const { t } = useTranslation();
  return (
    <div className="stack">
      <div className="line between">
        <h2>{t('billing.free')}</h2>
        <Badge type="success" icon={Gift}>
          {t('billing.badge')}
        </Badge>
      </div>
      <p className="muted">{t('billing.freeText')}</p>
    </div>
  );
}

function CurrentPlans({ overview }: { overview: Overview }) {
  const { t } = useTranslation();
  const { tables, subscriptions, covered } = overview;
  return (
    <div className="stack stack-8">
      {tables.map(({ product }) => {
        const subscription = subscriptions.find((each) => each.product === product);
        if (subscription) return <SubscriptionFacts key={product} subscription={subscription} />;
        const paid = covered.find((each) => each.product === product);
        const names = {
          product: t(`billing.product.${product}`),
          tier: t(`billing.tier.${paid?.tier ?? 'free'}`),
        };
        return (
          <div className="stack" key={product}>
            <h2>{t('billing.planName', names)}</h2>
            <p className="muted">
              {paid ? (
                <>
                  {t('billing.endsOn')} <LocalTime ms={paid.endsAtMs} style="date" />
                </>
              ) : (
                t('billing.table.noCard')
              )}
            </p>
          </div>
        );
      })}
    </div>
  );
}

function Notices({ overview }: { overview: Overview }) {
  const { t } = useTranslation();
  const time = useTimeText();
  const { subscriptions, covered, rulesOverLimit } = overview;
  return (
    <div className="notices">
      {rulesOverLimit > 0 && (
        <Callout type="warning">
          <p>{t('billing.notice.pausedRules', { count: rulesOverLimit })}</p>
        </Callout>
      )}
      {covered.map(({ id, product, endsAtMs }) => {
        const names = { product: t(`billing.product.${product}`), date: time(endsAtMs, 'weekdayDate') };
        return (
          <Callout key={id} type="info" icon={Calendar} title={t('billing.notice.ending', names)}>
            <p>{t('billing.notice.coveredText')}</p>
          </Callout>
        );
      })}
      {subscriptions.map((subscription) => (
        <SubscriptionNotice key={subscription.product} subscription={subscription} />
      ))}
    </div>
  );
}

function Plans({ overview }: { overview: Overview }) {
  const { t } = useTranslation();
  const { tables, subscriptions, trialsLeft } = overview;
  return tables.map((table) => {
    const { product } = table;
    const current = subscriptions.find((each) => each.product === product) ?? null;
    const hasTrial = trialsLeft.includes(product);
    const note = current?.trialUntilMs ? t('billing.table.noteInTrial') : t('billing.table.note');
    return (
      <div key={product}>
        <PlanTable
          table={table}
          period={current?.period}
          heading={<h2>{t(`billing.plansOf.${product}`)}</h2>}
          act={(tier, period) => <PlanAct {...{ product, tier, period, current, hasTrial }} />}
        />
        <p className="s13 muted mt-2">
          {note} {hasTrial && !current && t('billing.table.trialNote', { days: table.trialDays })}
        </p>
      </div>
    );
  });
}

export default function Billing({ loaderData: { usage, overview, charges } }: Route.ComponentProps) {
  const { t } = useTranslation();
  useLiveUpdates('/events');
  if (!usage)
    return (
      <>
        <PageHead title={t('billing.title')} lede={t('billing.lede')} />
        <Unavailable title={t('billing.unavailable')} />
      </>
    );
  return (
    <>
      <PageHead title={t('billing.title')} lede={t('billing.lede')} />
      <div className="stack stack-12">
        {overview && <Notices overview={overview} />}
        <div className="sheet">
          <div className="sheet__pad plan">
            {overview ? <CurrentPlans overview={overview} /> : <FreeInstance />}
            <UsageBars usage={usage} />
          </div>
          {overview?.isCustomer && (
            <div className="sheet__foot">
              <Form method="post" action="/billing/portal">
                <Button size="small">{t('billing.manage')}</Button>
              </Form>
            </div>
          )}
        </div>
        {overview && <Plans overview={overview} />}
        {overview && <Charges page={charges} />}
      </div>
    </>
  );
}
