import { data } from 'react-router';
import { ButtonLink } from '#app/components/forms/button.tsx';
import { SearchField } from '#app/components/forms/search-field.tsx';
import { Gift } from '#app/components/icons/signs.ts';
import { FilterFold } from '#app/components/lists/filter-fold.tsx';
import { isFiltered, ListFilters, NoMatch } from '#app/components/lists/filtered-list.tsx';
import { EmptyState, Pagination, Unavailable } from '#app/components/lists/list-states.tsx';
import { useLiveUpdates } from '#app/components/lists/live-updates.tsx';
import { PageHead } from '#app/components/shell/page-head.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { readGivenFilters } from '#app/routes/given-rewards/given-filters.server.ts';
import { orUnavailable } from '#app/services/available.server.ts';
import { database } from '#app/services/database.server.ts';
import { datePresets } from '#app/services/forms/date-range.server.ts';
import { promiseStatuses } from '#domain/reward/promise-status.ts';
import { listRuleNames } from '#domain/rule/list-rules.ts';
import { getGivenReward, listGivenRewards } from '#domain/view/list-given-rewards.ts';
import { RulesTabs } from '../rules/rules-tabs.tsx';
import type { Route } from './+types/given-rewards.ts';
import { GivenTable } from './given-table.tsx';

export async function loader({ request, context }: Route.LoaderArgs) {
  const { id: ownerId } = await requireVerifiedAccount(context);
  const query = new URL(request.url).searchParams;
  const { filters, shown } = readGivenFilters(request);
  const wanted = query.get('open');
  const page = await orUnavailable(context, async () => {
    const db = await database();
    const [listed, rules] = await Promise.all([
      listGivenRewards(db, { ...filters, ownerId, after: query.get('after') }),
      listRuleNames(db, { ownerId }),
    ]);
    const isListed = listed.rows.some(({ id }) => id === wanted);
    const opened = wanted && isListed ? await getGivenReward(db, { rewardId: wanted, ownerId }) : null;
    return { ...listed, rules, opened };
  });
  const presets = await datePresets(request);
  return data({ page, shown, presets, statuses: promiseStatuses }, { status: page ? 200 : 503 });
}

const path = '/rules/who-got-what';

type Data = Route.ComponentProps['loaderData'];
type Listed = NonNullable<Data['page']>;

function Filter({ shown, statuses, presets, rules }: Omit<Data, 'page'> & Pick<Listed, 'rules'>) {
  const { t } = useTranslation();
  return (
    <ListFilters path={path} shown={shown} presets={presets}>
      <SearchField name="q" label={t('given.search')} value={shown.q} />
      <FilterFold
        selects={[
          {
            name: 'rule',
            label: t('given.rule'),
            value: shown.rule,
            all: t('given.allRules'),
            options: rules.map(({ id, name }) => ({ value: id, label: name })),
          },
          {
            name: 'status',
            label: t('given.statusLabel'),
            value: shown.status,
            all: t('given.everyStatus'),
            options: statuses.map((status) => ({ value: status, label: t(`given.status.${status}`) })),
          },
        ]}
      />
    </ListFilters>
  );
}

function None({ filtered, hasMore }: { filtered: boolean; hasMore: boolean }) {
  const { t } = useTranslation();
  if (!filtered && !hasMore)
    return (
      <EmptyState
        icon={Gift}
        title={t('given.emptyTitle')}
        action={<ButtonLink to="/rules">{t('given.emptyAct')}</ButtonLink>}
      >
        {t('given.empty')}
      </EmptyState>
    );
  return (
    <NoMatch path={path} title={t('given.noMatchTitle')}>
      {t(hasMore ? 'given.noMatchYet' : 'given.noMatch')}
    </NoMatch>
  );
}

export default function GivenRewards({ loaderData }: Route.ComponentProps) {
  const { t } = useTranslation();
  useLiveUpdates('/events');
  const { page, ...filters } = loaderData;
  const filtered = isFiltered(filters.shown);
  return (
    <>
      <PageHead title={t('given.title')} lede={t('given.lede')} />
      <RulesTabs current="given" />
      {page ? (
        <>
          {(filtered || page.rows.length > 0) && <Filter {...filters} rules={page.rules} />}
          {page.rows.length === 0 ? (
            <None filtered={filtered} hasMore={page.next !== null} />
          ) : (
            <div className="sheet">
              <GivenTable rewards={page.rows} opened={page.opened} />
            </div>
          )}
          <Pagination next={page.next} />
        </>
      ) : (
        <Unavailable title={t('errors.unavailable.givenRewards')} />
      )}
    </>
  );
}
