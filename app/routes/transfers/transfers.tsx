import { data, Form, useSearchParams } from 'react-router';
import { ButtonLink } from '#app/components/forms/button.tsx';
import { ArrowLeftRight } from '#app/components/icons/signs.ts';
import { pictureOf } from '#app/components/items/item-facts.ts';
import { FilterFold } from '#app/components/lists/filter-fold.tsx';
import { EmptyState, LiveMark, Pagination, Unavailable } from '#app/components/lists/list-states.tsx';
import { useLiveUpdates } from '#app/components/lists/live-updates.tsx';
import { Link } from '#app/components/shell/link.tsx';
import { PageHead } from '#app/components/shell/page-head.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { orUnavailable } from '#app/services/available.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { transferKinds } from '#db/schema/transfer.ts';
import { untilSendingMs } from '#domain/bot/sending-pause.ts';
import { shownBotName } from '#domain/bot/shown-bot-name.ts';
import { claimFailureOf } from '#domain/transfer/claim-failure.ts';
import {
  type FirstItem,
  firstItemsOf,
  getTransfer,
  type ListedTransfer,
  listTransfers,
  type TransferPhase,
  transferPhases,
  type WholeTransfer,
  withAll,
} from '#domain/transfer/list-transfers.ts';
import type { Route } from './+types/transfers.ts';
import { type ShownTransfer, TransferCard } from './transfer-card.tsx';
import { type OpenTransfer, TransferLife } from './transfer-life.tsx';

const phases = Object.keys(transferPhases) as TransferPhase[];
const isOpen: ReadonlySet<string> = new Set(transferPhases.open);

export async function loader({ request, context }: Route.LoaderArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const query = new URL(request.url).searchParams;
  const kind = transferKinds.find((each) => each === query.get('kind'));
  const phase = phases.find((each) => each === query.get('phase'));
  const after = query.get('after');
  const wanted = query.get('open');
  const page = await orUnavailable(context, async () => {
    const db = await database();
    const { rows: listed, next } = await listTransfers(db, { userId, kind, phase, after });
    const onPage = listed.find(({ id }) => id === wanted);
    // A transfer that other pages link to may be far back: it is shown above the list.
    const above = wanted && !onPage ? await getTransfer(db, { transferId: wanted, userId }) : null;
    const rows = above ? [above, ...listed] : listed;
    const asked = onPage ?? above ?? undefined;
    // By default the newest transfer in progress is open, unless the visitor closed it.
    const open = asked ?? (wanted === '' ? undefined : rows.find(({ state }) => isOpen.has(state)));
    const [opened] = open ? await withAll(db, [open]) : [];
    const firsts = await firstItemsOf(db, rows);
    const nowMs = await domainNow();
    const pausedMs =
      opened?.state === 'queued' ? await untilSendingMs(db.read, opened.bot.name, Date.now()) : 0;
    return {
      nowMs,
      rows: rows.map((row) => shownOf(row, firsts.get(row.id))),
      next,
      opened: opened ? openOf(opened, pausedMs > 0 ? nowMs + pausedMs : null) : null,
      asked: asked !== undefined,
    };
  });
  const filters = { kind: kind ?? '', phase: phase ?? '', kinds: transferKinds, phases };
  return data({ page, filters }, { status: page ? 200 : 503 });
}

/** The fields of a transfer that the list shows; the browser gets no others. */
function shownOf(transfer: ListedTransfer, first: FirstItem | undefined): ShownTransfer {
  const { id, kind, own, userName, createdAtMs, bot } = transfer;
  // Cancelled by us because nobody answered: it ended as one that Steam lets expire.
  const state = claimFailureOf(transfer)?.kind === 'notAccepted' ? 'expired' : transfer.state;
  return {
    id,
    kind,
    state,
    own,
    userName,
    createdAtMs,
    botName: shownBotName(bot),
    first: first ? { quantity: first.quantity, name: first.marketHashName, picture: pictureOf(first) } : null,
    others: first ? first.total - first.quantity : 0,
  };
}

/** The further fields of the open transfer, whose bot is named as people see it. */
function openOf(transfer: WholeTransfer, pausedUntilMs: number | null): OpenTransfer {
  const { ruleName, expiresAtMs, acceptedAtMs, steps, bot, ...shown } = transfer;
  return {
    ...shown,
    bot: { ...bot, name: shownBotName(bot) },
    pausedUntilMs,
    steps: steps.map(({ event, detail, atMs }) => ({ event, detail, atMs })),
  };
}

type Data = Route.ComponentProps['loaderData'];

function Filter({ filters, live }: { filters: Data['filters']; live: boolean }) {
  const { t } = useTranslation();
  return (
    <Form className="filters" role="search" action="/transfers">
      <FilterFold
        selects={[
          {
            name: 'kind',
            label: t('transfers.filter.kind'),
            value: filters.kind,
            all: t('transfers.filter.allKinds'),
            options: filters.kinds.map((kind) => ({ value: kind, label: t(`transfers.filter.${kind}`) })),
          },
          {
            name: 'phase',
            label: t('transfers.filter.phase'),
            value: filters.phase,
            all: t('transfers.filter.everyState'),
            options: filters.phases.map((phase) => ({ value: phase, label: t(`transfers.filter.${phase}`) })),
          },
        ]}
      />
      <span className="push">
        <LiveMark live={live} />
      </span>
    </Form>
  );
}

function None({ filtered }: { filtered: boolean }) {
  const { t } = useTranslation();
  if (filtered)
    return (
      <EmptyState
        title={t('transfers.noMatchTitle')}
        action={
          <Link className="btn btn--secondary" to="/transfers">
            {t('items.showAll')}
          </Link>
        }
      >
        {t('transfers.noMatch')}
      </EmptyState>
    );
  return (
    <EmptyState
      icon={ArrowLeftRight}
      title={t('transfers.emptyTitle')}
      action={<ButtonLink to="/items">{t('transfers.emptyAct')}</ButtonLink>}
    >
      {t('transfers.empty')}
    </EmptyState>
  );
}

/** The list of transfers; each card links to itself, opened or closed. */
function List({ rows, opened, asked, nowMs }: NonNullable<Data['page']>) {
  const [search] = useSearchParams();
  const query = new URLSearchParams(search);
  query.delete('open');
  query.append('open', '');
  const closed = `?${query}`;
  return (
    <div className="sheet rows">
      {rows.map((transfer) => {
        const isOpened = transfer.id === opened?.id;
        return (
          <TransferCard
            key={transfer.id}
            transfer={transfer}
            to={isOpened ? closed : closed + transfer.id}
            asked={isOpened && asked}
          >
            {isOpened && <TransferLife transfer={opened} nowMs={nowMs} />}
          </TransferCard>
        );
      })}
    </div>
  );
}

export default function Transfers({ loaderData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const live = useLiveUpdates('/events');
  const { page, filters } = loaderData;
  const filtered = filters.kind !== '' || filters.phase !== '';
  return (
    <>
      <PageHead title={t('transfers.title')} lede={t('transfers.lede')} />
      {page ? (
        <>
          {(filtered || page.rows.length > 0) && <Filter filters={filters} live={live} />}
          {page.rows.length === 0 ? <None filtered={filtered} /> : <List {...page} />}
          <Pagination next={page.next} />
        </>
      ) : (
        <Unavailable title={t('errors.unavailable.transfers')} />
      )}
    </>
  );
}
