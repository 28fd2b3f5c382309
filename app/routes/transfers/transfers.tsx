import { data, Form } from 'react-router';
import { Button, ButtonLink } from '#app/components/forms/button.tsx';
import { ArrowLeftRight } from '#app/components/icons/signs.ts';
import { pictureOf } from '#app/components/items/item-facts.ts';
import { EmptyState, LiveMark, Pagination, Unavailable } from '#app/components/lists/list-states.tsx';
import { useLiveUpdates } from '#app/components/lists/live-updates.tsx';
import { Link } from '#app/components/shell/link.tsx';
import { PageHead } from '#app/components/shell/page-head.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { orUnavailable } from '#app/services/available.server.ts';
import { database } from '#app/services/database.server.ts';
import { transferKinds } from '#db/schema/transfer.ts';
import {
  type ListedTransfer,
  listTransfers,
  type TransferPhase,
  transferPhases,
} from '#domain/transfer/list-transfers.ts';
import type { Route } from './+types/transfers.ts';
import { type ShownTransfer, TransferView } from './transfer-view.tsx';

const phases = Object.keys(transferPhases) as TransferPhase[];
const isOpen: ReadonlySet<string> = new Set(transferPhases.open);

export async function loader({ request, context }: Route.LoaderArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const query = new URL(request.url).searchParams;
  const kind = transferKinds.find((each) => each === query.get('kind'));
  const phase = phases.find((each) => each === query.get('phase'));
  const after = query.get('after');
  const page = await orUnavailable(context, async () =>
    listTransfers(await database(), { userId, kind, phase, after }),
  );
  const filters = { kind: kind ?? '', phase: phase ?? '', kinds: transferKinds, phases };
  const shown = page && { rows: page.rows.map(shownOf), next: page.next };
  // The one that was asked for, else the newest that is still under way.
  const opened =
    page?.rows.find(({ id }) => id === query.get('open')) ??
    page?.rows.find(({ state }) => isOpen.has(state));
  return data({ page: shown, filters, openId: opened?.id ?? null }, { status: page ? 200 : 503 });
}

/** What the page shows of a transfer: the browser is sent no more. */
function shownOf(transfer: ListedTransfer): ShownTransfer {
  const [first, ...rest] = transfer.items;
  return {
    id: transfer.id,
    kind: transfer.kind,
    state: transfer.state,
    own: transfer.own,
    userName: transfer.userName,
    createdAtMs: transfer.createdAtMs,
    sentAtMs: transfer.sentAtMs,
    cancelAtMs: transfer.cancelAtMs,
    settlesAtMs: transfer.settlesAtMs,
    cancelWanted: transfer.cancelWanted,
    lastError: transfer.lastError,
    offerId: transfer.offerId,
    securityCode: transfer.securityCode,
    bot: transfer.bot,
    steps: transfer.steps.map(({ event, detail, atMs }) => ({ event, detail, atMs })),
    first: first ? { quantity: first.quantity, name: first.marketHashName, picture: pictureOf(first) } : null,
    others: rest.reduce((sum, item) => sum + item.quantity, 0),
  };
}

type Data = Route.ComponentProps['loaderData'];

function Filter({ filters, live }: { filters: Data['filters']; live: boolean }) {
  const { t } = useTranslation();
  return (
    <Form className="filters" role="search" action="/transfers">
      <select
        className="select"
        name="kind"
        key={filters.kind}
        defaultValue={filters.kind}
        aria-label={t('transfers.filter.kind')}
      >
        <option value="">{t('transfers.filter.allKinds')}</option>
        {filters.kinds.map((kind) => (
          <option key={kind} value={kind}>
            {t(`transfers.filter.${kind}`)}
          </option>
        ))}
      </select>
      <select
        className="select"
        name="phase"
        key={`phase ${filters.phase}`}
        defaultValue={filters.phase}
        aria-label={t('transfers.filter.phase')}
      >
        <option value="">{t('transfers.filter.everyState')}</option>
        {filters.phases.map((phase) => (
          <option key={phase} value={phase}>
            {t(`transfers.filter.${phase}`)}
          </option>
        ))}
      </select>
      <Button>{t('common.filter')}</Button>
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

export default function Transfers({ loaderData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const live = useLiveUpdates('/events');
  const { page, filters, openId } = loaderData;
  return (
    <>
      <PageHead title={t('transfers.title')} lede={t('transfers.lede')} />
      {page ? (
        <>
          <Filter filters={filters} live={live} />
          {page.rows.length === 0 ? (
            <None filtered={filters.kind !== '' || filters.phase !== ''} />
          ) : (
            <div className="sheet rows">
              {page.rows.map((transfer) => (
                <TransferView key={transfer.id} transfer={transfer} open={transfer.id === openId} />
              ))}
            </div>
          )}
          <Pagination next={page.next} />
        </>
      ) : (
        <Unavailable title={t('errors.unavailable.transfers')} />
      )}
    </>
  );
}
