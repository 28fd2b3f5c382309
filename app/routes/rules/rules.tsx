import { data, Form } from 'react-router';
import { Button, ButtonLink } from '#app/components/forms/button.tsx';
import { SearchField } from '#app/components/forms/search-field.tsx';
import { Plus, ScrollText } from '#app/components/icons/signs.ts';
import { EmptyState, Pagination, Unavailable } from '#app/components/lists/list-states.tsx';
import { useLiveUpdates } from '#app/components/lists/live-updates.tsx';
import { Pool, splitReserved } from '#app/components/rules/pool.tsx';
import { ConditionWords, FreeOf, RuleBadge } from '#app/components/rules/rule-words.tsx';
import { Link } from '#app/components/shell/link.tsx';
import { PageHead } from '#app/components/shell/page-head.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { orUnavailable } from '#app/services/available.server.ts';
import { database } from '#app/services/database.server.ts';
import { liveRuleStates, ruleStates } from '#db/schema/rule.ts';
import { listRules } from '#domain/rule/list-rules.ts';
import type { Route } from './+types/rules.ts';
import { RulesTabs } from './rules-tabs.tsx';

export async function loader({ request, context }: Route.LoaderArgs) {
  const { id: ownerId, twitch } = await requireVerifiedAccount(context);
  const query = new URL(request.url).searchParams;
  const search = (query.get('q') ?? '').trim().slice(0, 100);
  const state = ruleStates.find((each) => each === query.get('state'));
  const states = state ? [state] : liveRuleStates;
  const asked = { ownerId, search, after: query.get('after'), states };
  const page = await orUnavailable(context, async () => listRules(await database(), asked));
  const filters = { search, state: state ?? '', states: ruleStates };
  return data({ page, filters, ownChannelId: twitch?.id ?? null }, { status: page ? 200 : 503 });
}

type Data = Route.ComponentProps['loaderData'];
type Listed = NonNullable<Data['page']>['rows'][number];

function Filter({ filters }: { filters: Data['filters'] }) {
  const { t } = useTranslation();
  return (
    <Form className="filters" role="search" action="/rules">
      <SearchField name="q" label={t('rules.name')} value={filters.search} />
      <select
        className="select"
        name="state"
        key={filters.state}
        defaultValue={filters.state}
        aria-label={t('rules.stateLabel')}
      >
        <option value="">{t('rules.everyState')}</option>
        {filters.states.map((state) => (
          <option key={state} value={state}>
            {t(`rules.state.${state}`)}
          </option>
        ))}
      </select>
      <Button>{t('common.filter')}</Button>
    </Form>
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
        <FreeOf pool={rule.pool} waiting={rule.waiting} />
      </div>
      <div>
        <RuleBadge rule={rule} />
      </div>
    </li>
  );
}

type ListProps = { page: NonNullable<Data['page']> } & Omit<Data, 'page'>;

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
      </div>
    );
  if (filters.search !== '' || filters.state !== '')
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
  const { page, filters, ownChannelId } = loaderData;
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
          <Filter filters={filters} />
          <List page={page} filters={filters} ownChannelId={ownChannelId} />
          <Pagination next={page.next} />
        </>
      ) : (
        <Unavailable title={t('errors.unavailable.rules')} />
      )}
    </>
  );
}
