import { useEffect, useState } from 'react';
import { data, Form } from 'react-router';
import { ButtonLink } from '#app/components/forms/button.tsx';
import { SearchField } from '#app/components/forms/search-field.tsx';
import { Icon } from '#app/components/icons/icon.tsx';
import { ShieldCheck } from '#app/components/icons/signs.ts';
import { FilterFold } from '#app/components/lists/filter-fold.tsx';
import { EmptyState, Pagination, Unavailable } from '#app/components/lists/list-states.tsx';
import { useLiveUpdates } from '#app/components/lists/live-updates.tsx';
import { Link } from '#app/components/shell/link.tsx';
import { useNumberText } from '#app/components/text/amounts.tsx';
import { useTimeText } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { orUnavailable } from '#app/services/available.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { kindKey } from '#app/services/items/picks.server.ts';
import {
  type CustodyKind,
  custodyFilters,
  custodyOrders,
  getCustodyTotals,
  listCustody,
} from '#domain/item/list-custody.ts';
import { newId } from '#domain/kernel/id.ts';
import { listRuleNames } from '#domain/rule/list-rules.ts';
import type { Route } from './+types/custody.ts';
import { CustodyBar } from './custody-bar.tsx';
import { bulkForm, type CustodyRow, CustodyTable } from './custody-table.tsx';
import { ItemsHead } from './items-tabs.tsx';
import { Metrics } from './metrics.tsx';

export async function loader({ request, context }: Route.LoaderArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const query = new URL(request.url).searchParams;
  const search = (query.get('q') ?? '').trim().slice(0, 100);
  const filter = custodyFilters.find((each) => each === query.get('state'));
  const order = custodyOrders.find((each) => each === query.get('order'));
  const custody = await orUnavailable(context, async () => {
    const [db, nowMs] = [await database(), await domainNow()];
    const asked = { ownerId: userId, search, filter, order, after: query.get('after') };
    const [page, totals, rules] = await Promise.all([
      listCustody(db, asked, nowMs),
      getCustodyTotals(db, { ownerId: userId }, nowMs),
      listRuleNames(db, { ownerId: userId, isLive: true }),
    ]);
    const rows = page.rows.map(shownOf);
    return { rows, next: page.next, totals, rules, requestIds: rows.map(() => newId(nowMs)) };
  });
  const filters = {
    search,
    state: filter ?? '',
    order: order ?? '',
    filters: custodyFilters,
    orders: custodyOrders,
  };
  return data({ custody, filters }, { status: custody ? 200 : 503 });
}

/** The fields of a kind that the page shows; the browser gets no others. */
function shownOf(kind: CustodyKind): CustodyRow {
  return {
    key: kindKey(kind),
    name: kind.name,
    iconUrl: kind.iconUrl,
    typeLine: kind.typeLine,
    typeTag: kind.typeTag,
    rarityTag: kind.rarityTag,
    exterior: kind.exterior,
    traits: kind.traits,
    traitIcons: kind.traitIcons,
    wear: kind.wear,
    total: kind.total,
    available: kind.available,
    inCooldown: kind.inCooldown,
    lastUnlockMs: kind.lastUnlockMs,
    assigned: kind.assigned,
    moving: kind.moving,
    missing: kind.missing,
  };
}

type Custody = NonNullable<Route.ComponentProps['loaderData']['custody']>;
type Filters = Route.ComponentProps['loaderData']['filters'];

function Totals({ totals }: Pick<Custody, 'totals'>) {
  const { t } = useTranslation();
  const number = useNumberText();
  const time = useTimeText();
  return (
    <Metrics
      metrics={[
        {
          label: t('items.custody.available'),
          value: number(totals.available),
          note: t('items.custody.availableNote'),
        },
        {
          label: t('items.custody.inCooldown'),
          value: number(totals.inCooldown),
          note:
            totals.firstUnlockMs === null
              ? t('items.custody.cooldownNone')
              : t('items.custody.cooldownNext', { date: time(totals.firstUnlockMs) }),
        },
        {
          label: t('items.custody.assigned'),
          value: number(totals.assigned),
          note: t('items.custody.assignedNote', { count: totals.rules }),
        },
        {
          label: t('items.custody.moving'),
          value: number(totals.moving),
          note: t('items.custody.movingNote'),
        },
        ...(totals.missing > 0
          ? [
              {
                label: t('items.custody.missing'),
                value: number(totals.missing),
                note: t('items.custody.missingNote'),
              },
            ]
          : []),
      ]}
    />
  );
}

function Filter({ filters }: { filters: Filters }) {
  const { t } = useTranslation();
  return (
    <Form className="filters mt-8" role="search" action="/items/custody">
      <SearchField name="q" label={t('items.itemName')} value={filters.search} />
      <FilterFold
        selects={[
          {
            name: 'state',
            label: t('items.custody.state'),
            value: filters.state,
            all: t('items.custody.everyState'),
            options: filters.filters.map((name) => ({ value: name, label: t(`items.custody.${name}`) })),
          },
          {
            name: 'order',
            label: t('items.inventory.order'),
            value: filters.order,
            all: t('items.inventory.by.name'),
            options: filters.orders.map((name) => ({ value: name, label: t(`items.inventory.by.${name}`) })),
          },
        ]}
      />
    </Form>
  );
}

/** The ticked rows, and the way to tick one more or less; undefined before the scripts have run. */
function useTicks(rows: readonly CustodyRow[]) {
  const [picked, setPicked] = useState<readonly string[]>();
  // Some boxes may be ticked already: before the scripts ran, or by the browser.
  useEffect(() => {
    const form = document.forms.namedItem(bulkForm);
    setPicked(form ? new FormData(form).getAll('item').map(String) : []);
  }, []);
  return {
    ticked: picked && rows.filter(({ key, available }) => available > 0 && picked.includes(key)),
    tick: (key: string, on: boolean) =>
      setPicked((before = []) => (on ? [...before, key] : before.filter((each) => each !== key))),
  };
}

function List({ custody, filters }: { custody: Custody; filters: Filters }) {
  const { t } = useTranslation();
  const { ticked, tick } = useTicks(custody.rows);
  if (custody.totals.total === 0)
    return (
      <EmptyState
        title={t('items.custody.emptyTitle')}
        action={
          <ButtonLink kind="primary" to="/items">
            {t('items.custody.emptyAct')}
          </ButtonLink>
        }
      >
        {t('items.custody.empty')}
      </EmptyState>
    );
  return (
    <>
      <Totals totals={custody.totals} />
      <Filter filters={filters} />
      {custody.rows.length === 0 ? (
        <EmptyState
          title={t('items.noMatchTitle')}
          action={
            <Link className="btn btn--secondary" to="/items/custody">
              {t('items.showAll')}
            </Link>
          }
        >
          {t('items.noMatch')}
        </EmptyState>
      ) : (
        <>
          <div className="sheet">
            <CustodyTable
              rows={custody.rows}
              requestIds={custody.requestIds}
              ticked={ticked ?? []}
              onPick={tick}
            />
            <div className="sheet__foot">
              <Icon of={ShieldCheck} size="small" />
              <span>{t('items.custody.oneHolder')}</span>
            </div>
          </div>
          <CustodyBar ticked={ticked} rules={custody.rules} />
        </>
      )}
      <Pagination next={custody.next} />
    </>
  );
}

export default function ItemsInCustody({ loaderData }: Route.ComponentProps) {
  const { t } = useTranslation();
  useLiveUpdates('/events');
  const { custody, filters } = loaderData;
  return (
    <>
      <ItemsHead
        current="custody"
        lede={t('items.custody.lede')}
        counts={custody ? { custody: custody.totals.total } : {}}
      />
      {custody ? (
        <List custody={custody} filters={filters} />
      ) : (
        <Unavailable title={t('errors.unavailable.inventory')} />
      )}
    </>
  );
}
