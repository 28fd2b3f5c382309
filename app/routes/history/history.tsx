import { data } from 'react-router';
import { ButtonLink } from '#app/components/forms/button.tsx';
import { SearchField } from '#app/components/forms/search-field.tsx';
import { History as HistorySign } from '#app/components/icons/signs.ts';
import { FilterFold } from '#app/components/lists/filter-fold.tsx';
import { isFiltered, ListFilters, NoMatch } from '#app/components/lists/filtered-list.tsx';
import { EmptyState, Pagination, Unavailable } from '#app/components/lists/list-states.tsx';
import { PageHead } from '#app/components/shell/page-head.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { readHistoryFilters } from '#app/routes/history/history-filters.server.ts';
import { orUnavailable } from '#app/services/available.server.ts';
import { database } from '#app/services/database.server.ts';
import { datePresets } from '#app/services/forms/date-range.server.ts';
import { endedStatuses } from '#domain/reward/promise-status.ts';
import { listHistory } from '#domain/view/list-history.ts';
import type { Route } from './+types/history.ts';
import { HistoryTable } from './history-table.tsx';

export async function loader({ request, context }: Route.LoaderArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const after = new URL(request.url).searchParams.get('after');
  const { filters, shown } = readHistoryFilters(request);
  const page = await orUnavailable(context, async () =>
    listHistory(await database(), { ...filters, userId, after }),
  );
  const presets = await datePresets(request);
  return data({ page, shown, presets, statuses: endedStatuses }, { status: page ? 200 : 503 });
}

const path = '/rewardHistory';

type Data = Route.ComponentProps['loaderData'];

function Filter({ shown, statuses, presets }: Omit<Data, 'page'>) {
  const { t } = useTranslation();
  return (
    <ListFilters path={path} shown={shown} presets={presets}>
      <SearchField name="channel" label={t('history.channelName')} value={shown.channel} />
      <FilterFold
        selects={[
          {
            name: 'status',
            label: t('history.statusLabel'),
            value: shown.status,
            all: t('history.everyStatus'),
            options: statuses.map((status) => ({ value: status, label: t(`history.status.${status}`) })),
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
        icon={HistorySign}
        title={t('history.emptyTitle')}
        action={<ButtonLink to="/browseChannels">{t('history.emptyAct')}</ButtonLink>}
      >
        {t('history.empty')}
      </EmptyState>
    );
  return (
    <NoMatch path={path} title={t('history.noMatchTitle')}>
      {t(hasMore ? 'history.noMatchYet' : 'history.noMatch')}
    </NoMatch>
  );
}

export default function RewardHistory({ loaderData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const { page, ...filters } = loaderData;
  const filtered = isFiltered(filters.shown);
  return (
    <>
      <PageHead title={t('history.title')} lede={t('history.lede')} />
      {page ? (
        <>
          {(filtered || page.rows.length > 0) && <Filter {...filters} />}
          {page.rows.length === 0 ? (
            <None filtered={filtered} hasMore={page.next !== null} />
          ) : (
            <div className="sheet clip">
              <HistoryTable entries={page.rows} />
            </div>
          )}
          <Pagination next={page.next} />
        </>
      ) : (
        <Unavailable title={t('errors.unavailable.rewardHistory')} />
      )}
    </>
  );
}
