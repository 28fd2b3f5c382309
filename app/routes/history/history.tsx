import { data, Form } from 'react-router';
import { Button, ButtonLink } from '#app/components/forms/button.tsx';
import { SearchField } from '#app/components/forms/search-field.tsx';
import { Download, History as HistorySign } from '#app/components/icons/signs.ts';
import { EmptyState, Pagination, Unavailable } from '#app/components/lists/list-states.tsx';
import { PageHead } from '#app/components/shell/page-head.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { orUnavailable } from '#app/services/available.server.ts';
import { database } from '#app/services/database.server.ts';
import { readHistoryFilters } from '#app/services/history-filters.server.ts';
import { historyStatuses, listHistory } from '#domain/reward/list-history.ts';
import type { Route } from './+types/history.ts';
import { HistoryTable } from './history-table.tsx';

export async function loader({ request, context }: Route.LoaderArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const after = new URL(request.url).searchParams.get('after');
  const { filters, shown } = readHistoryFilters(request);
  const page = await orUnavailable(context, async () =>
    listHistory(await database(), { ...filters, userId, after }),
  );
  return data({ page, shown, statuses: historyStatuses }, { status: page ? 200 : 503 });
}

type Data = Route.ComponentProps['loaderData'];

function Filter({ shown, statuses }: Pick<Data, 'shown' | 'statuses'>) {
  const { t } = useTranslation();
  return (
    <Form className="filters" role="search" action="/rewardHistory">
      <SearchField name="channel" label={t('history.channelName')} value={shown.channel} />
      <select
        className="select"
        name="status"
        key={shown.status}
        defaultValue={shown.status}
        aria-label={t('history.statusLabel')}
      >
        <option value="">{t('history.everyStatus')}</option>
        {statuses.map((status) => (
          <option key={status} value={status}>
            {t(`history.status.${status}`)}
          </option>
        ))}
      </select>
      {(['from', 'to'] as const).map((name) => (
        <label className="line line-tight line-nowrap s13 muted" key={`${name} ${shown[name]}`}>
          {t(`history.${name}`)}
          <input
            className="input"
            type="date"
            name={name}
            defaultValue={shown[name]}
            min="1900-01-01"
            max="2100-12-31"
          />
        </label>
      ))}
      <Button>{t('common.filter')}</Button>
    </Form>
  );
}

function Exports({ shown }: Pick<Data, 'shown'>) {
  const { t } = useTranslation();
  const filters = Object.entries(shown).filter(([, value]) => value !== '');
  return (['csv', 'json'] as const).map((format) => (
    <ButtonLink
      key={format}
      kind="quiet"
      icon={Download}
      reloadDocument
      to={`/rewardHistory/export?${new URLSearchParams([['format', format], ...filters])}`}
    >
      {t(`history.export.${format}`)}
    </ButtonLink>
  ));
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
    <EmptyState
      title={t('history.noMatchTitle')}
      action={<ButtonLink to="/rewardHistory">{t('history.showAll')}</ButtonLink>}
    >
      {t(hasMore ? 'history.noMatchYet' : 'history.noMatch')}
    </EmptyState>
  );
}

export default function RewardHistory({ loaderData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const { page, shown, statuses } = loaderData;
  const filtered = Object.values(shown).some((value) => value !== '');
  return (
    <>
      <PageHead title={t('history.title')} lede={t('history.lede')} actions={<Exports shown={shown} />} />
      {page ? (
        <>
          <Filter shown={shown} statuses={statuses} />
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
