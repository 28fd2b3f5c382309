import { data, Form } from 'react-router';
import { ButtonLink } from '#app/components/forms/button.tsx';
import { SearchField } from '#app/components/forms/search-field.tsx';
import { Plus, ScrollText } from '#app/components/icons/signs.ts';
import { FilterFold } from '#app/components/lists/filter-fold.tsx';
import { EmptyState, Pagination, Unavailable } from '#app/components/lists/list-states.tsx';
import { useLiveUpdates } from '#app/components/lists/live-updates.tsx';
import { Legend, Pool, splitReserved } from '#app/components/rules/pool.tsx';
import { ConditionWords, FreeOf, RuleBadge } from '#app/components/rules/rule-words.tsx';
import { Link } from '#app/components/shell/link.tsx';
import { PageHead } from '#app/components/shell/page-head.tsx';
import { useNumberText } from '#app/components/text/amounts.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { config } from '#app/config.server.ts';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { orUnavailable } from '#app/services/available.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { liveRuleStates, ruleStates } from '#db/schema/rule.ts';
import { getUsage } from '#domain/plan/get-usage.ts';
import { listRules, ruleOrders } from '#domain/rule/list-rules.ts';
import { countLiveRewards } from '#domain/view/count-rewards.ts';
import { listLiveRules, ruleNeeds } from '#domain/view/list-rule-needs.ts';
import type { Route } from './+types/rules.ts';
import { RulesTabs } from './rules-tabs.tsx';

export async function loader({ request, context }: Route.LoaderArgs) {
  const { id: ownerId, twitch } = await requireVerifiedAccount(context);
  const query = new URL(request.url).searchParams;
  const search = (query.get('q') ?? '').trim().slice(0, 100);
  const state = ruleStates.find((each) => each === query.get('state'));
  const states = state ? [state] : liveRuleStates;
  const order = ruleOrders.find((each) => each === query.get('order')) ?? 'newest';
  const need = ruleNeeds.find((each) => each === query.get('need'));
  const page = await orUnavailable(context, async () => {
    const db = await database();
    const live = await listLiveRules(db, { ownerId });
    const ids = need && live.filter((rule) => rule.need === need).map(({ id }) => id);
    const asked = { ownerId, search, after: query.get('after'), states, ids, order };
    const [listed, now] = await Promise.all([listRules(db, asked), countLiveRewards(db, { ownerId })]);
    const waiting = live.reduce((sum, rule) => sum + rule.waiting, 0);
    const totals = { ...now, rules: live.length, waiting };
    return { ...listed, totals, usage: await planUsageOf(ownerId) };
  });
  const filters = { search, state: state ?? '', need: need ?? '', order };
  const choices = { states: ruleStates, needs: ruleNeeds, orders: ['name', 'free'] as const };
  return data({ page, filters, choices, ownChannelId: twitch?.id ?? null }, { status: page ? 200 : 503 });
}

/** Reads the streamer's plan and its use; null if no plans are sold. */
async function planUsageOf(ownerId: string) {
  if (!config().billing) return null;
  const { limits, rules, rewardsThisMonth } = await getUsage(await database(), ownerId, await domainNow());
  return [
    { name: 'rules', used: rules, limit: limits.rules },
    { name: 'rewards', used: rewardsThisMonth, limit: limits.rewardsPerMonth },
  ] as const;
}

type Data = Route.ComponentProps['loaderData'];
type Listed = NonNullable<Data['page']>['rows'][number];

function Filter({ filters, choices }: Pick<Data, 'filters' | 'choices'>) {
  const { t } = useTranslation();
  return (
    <Form className="filters" role="search" action="/rules">
      <SearchField name="q" label={t('rules.name')} value={filters.search} />
      <FilterFold
        selects={[
          {
            name: 'state',
            label: t('rules.stateLabel'),
            value: filters.state,
            all: t('rules.everyState'),
            options: choices.states.map((state) => ({ value: state, label: t(`rules.state.${state}`) })),
          },
          {
            name: 'need',
            label: t('rules.needLabel'),
            value: filters.need,
            all: t('rules.anyNeed'),
            options: choices.needs.map((need) => ({ value: need, label: t(`rules.need.${need}`) })),
          },
          {
            name: 'order',
            label: t('rules.orderLabel'),
            value: filters.order === 'newest' ? '' : filters.order,
            all: t('rules.order.newest'),
            options: choices.orders.map((order) => ({ value: order, label: t(`rules.order.${order}`) })),
          },
        ]}
      />
    </Form>
  );
}

/** The totals of all live rules, including rewards that deleted rules still owe. */
function Totals({ totals }: { totals: NonNullable<Data['page']>['totals'] }) {
  const { t } = useTranslation();
  const { rules, waiting, preparing, ...rewards } = totals;
  return (
    <div className="line between mb-4">
      <span className="s13 muted">
        {t('rules.total', { count: rules })}
        {waiting > 0 && ` · ${t('rules.waiting', { count: waiting })}`}
      </span>
      <Legend counts={splitReserved(rewards, preparing)} filters={() => ({})} />
    </div>
  );
}

function RuleRow({ rule, isElsewhere }: { rule: Listed; isElsewhere: boolean }) {
  const { recalled: _, ...pool } = splitReserved(rule.pool, rule.preparing);
  return (
    <li className="rule">
      <div className="rule__name">
        <Link to={`/rules/${rule.id}`}>{rule.name}</Link>
        <ConditionWords rule={rule} channel={isElsewhere ? rule.channelName : undefined} />
      </div>
      <div className="stack stack-2">
        <Pool counts={pool} small />
        {/* Nobody waits for a deleted rule any more. */}
        <FreeOf pool={rule.pool} waiting={rule.state === 'closed' ? 0 : rule.waiting} />
      </div>
      <div>
        <RuleBadge rule={rule} />
      </div>
    </li>
  );
}

function PlanUsage({ usage }: { usage: NonNullable<NonNullable<Data['page']>['usage']> }) {
  const { t } = useTranslation();
  const number = useNumberText();
  return (
    <div className="sheet__foot between">
      {usage.map(
        ({ name, used, limit }) =>
          limit !== null && (
            <span key={name}>{t(`rules.usage.${name}`, { used: number(used), limit: number(limit) })}</span>
          ),
      )}
    </div>
  );
}

type ListProps = { page: NonNullable<Data['page']> } & Pick<Data, 'filters' | 'ownChannelId'>;

function List({ page, filters, ownChannelId }: ListProps) {
  const { t } = useTranslation();
  if (page.rows.length > 0)
    return (
      <div className="sheet">
        <ul className="rows">
          {page.rows.map((rule) => (
            <RuleRow key={rule.id} rule={rule} isElsewhere={rule.channelId !== ownChannelId} />
          ))}
        </ul>
        {page.usage && <PlanUsage usage={page.usage} />}
      </div>
    );
  if (filters.search !== '' || filters.state !== '' || filters.need !== '')
    return (
      <EmptyState
        title={t('rules.noMatchTitle')}
        action={
          <Link className="btn btn--secondary" to="/rules">
            {t('items.showAll')}
          </Link>
        }
      >
        {t('rules.noMatch')}
      </EmptyState>
    );
  return (
    <EmptyState
      icon={ScrollText}
      title={t('rules.emptyTitle')}
      action={<ButtonLink to="/rules/new">{t('rules.emptyAct')}</ButtonLink>}
    >
      {t('rules.empty')}
    </EmptyState>
  );
}

export default function Rules({ loaderData }: Route.ComponentProps) {
  const { t } = useTranslation();
  useLiveUpdates('/events');
  const { page, filters, choices, ownChannelId } = loaderData;
  return (
    <>
      <PageHead
        title={t('rules.title')}
        lede={t('rules.lede')}
        actions={
          <>
            <ButtonLink to="/channel">{t('channel.title')}</ButtonLink>
            <ButtonLink kind="primary" icon={Plus} to="/rules/new">
              {t('rules.new')}
            </ButtonLink>
          </>
        }
      />
      <RulesTabs current="rules" />
      {page ? (
        <>
          <Filter filters={filters} choices={choices} />
          <Totals totals={page.totals} />
          <List page={page} filters={filters} ownChannelId={ownChannelId} />
          <Pagination next={page.next} />
        </>
      ) : (
        <Unavailable title={t('errors.unavailable.rules')} />
      )}
    </>
  );
}
