import { Fragment } from 'react';
import { data, redirect } from 'react-router';
import { Callout } from '#app/components/feedback/callout.tsx';
import { ButtonLink, OutsideLink } from '#app/components/forms/button.tsx';
import { EyeOff, PackageOpen, Unplug } from '#app/components/icons/signs.ts';
import { EmptyState, Unavailable } from '#app/components/lists/list-states.tsx';
import { useLiveUpdates } from '#app/components/lists/live-updates.tsx';
import { Link } from '#app/components/shell/link.tsx';
import { useSites } from '#app/components/shell/page-context.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import {
  inventoryOrders,
  readInventoryFilters,
  viewInventory,
} from '#app/routes/items/inventory-view.server.ts';
import { orUnavailable } from '#app/services/available.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { inventoryRefusals } from '#app/services/forms/trading-refusals.server.ts';
import { readDepositable } from '#app/services/items/deposit.server.ts';
import { games } from '#app/services/items/inventory.server.ts';
import { pickedGames, putPicks, readPicks, steppedPicks } from '#app/services/items/picks.server.ts';
import { getCustodyTotals } from '#domain/item/list-custody.ts';
import { newId } from '#domain/kernel/id.ts';
import { MAX_ITEMS_PER_DEPOSIT } from '#domain/transfer/request-deposit.ts';
import type { Route } from './+types/inventory.ts';
import { InventoryPicker } from './inventory-picker.tsx';
import { InventoryProgress } from './inventory-progress.tsx';
import { ItemsHead } from './items-tabs.tsx';

/** Returns whether the bot hangs: to ask it once more would take as long again. */
const isSilent = (read: { ok: boolean; code?: string } | null): boolean => read?.code === 'botSilent';

export async function loader({ request, context }: Route.LoaderArgs) {
  const { id: userId, steam } = await requireVerifiedAccount(context);
  const query = new URL(request.url).searchParams;
  const [picks, filters] = [readPicks(query) ?? [], readInventoryFilters(query)];
  const stepped = steppedPicks(query, picks);
  if (stepped) throw redirect(`/items?${putPicks(query, stepped)}`);
  const [after, fresh] = [query.get('after'), query.has('fresh')];
  const appIds = [Number(filters.game), ...pickedGames(picks)];
  const [db, nowMs] = [await database(), await domainNow()];
  const [counts, read] = await Promise.all([
    orUnavailable(context, async () => ({
      custody: (await getCustodyTotals(db, { ownerId: userId }, nowMs)).total,
    })),
    steam && orUnavailable(context, () => readDepositable(db, { ...steam, userId }, { fresh, appIds })),
  ]);
  if (fresh && !isSilent(read)) {
    query.delete('fresh');
    throw redirect(`/items?${query}`);
  }
  const refused = steam && !read?.ok ? (read?.code ?? 'inventoryUnavailable') : null;
  const inventory = read?.ok
    ? { ...read, kinds: undefined, view: viewInventory(read.kinds, filters, { picks, after }) }
    : null;
  const page = {
    linked: steam !== null,
    tradeLink: Boolean(steam?.tradeLink),
    requestId: newId(nowMs),
    maxItems: MAX_ITEMS_PER_DEPOSIT,
    games,
    orders: inventoryOrders,
    counts: counts ?? {},
    filters,
    refused,
    refusalText: refused && inventoryRefusals[refused].key,
    inventory,
  };
  // A private inventory is shown as such; after other refusals there is none to show now.
  const isMissing = refused && refused !== 'inventoryPrivate';
  return data(page, { status: isMissing ? inventoryRefusals[refused].status : 200 });
}

type View = Route.ComponentProps['loaderData'];

function Inventory({ page }: { page: View }) {
  const { t } = useTranslation();
  const sites = useSites();
  const { inventory, refused } = page;
  if (!page.linked)
    return (
      <EmptyState
        icon={Unplug}
        title={t('items.inventory.noSteamTitle')}
        action={<ButtonLink to="/profile">{t('items.inventory.connect')}</ButtonLink>}
      >
        {t('errors.account.steamNotLinked')} {t('items.inventory.noSteam')}
      </EmptyState>
    );
  if (refused === 'inventoryPrivate')
    return (
      <EmptyState
        icon={EyeOff}
        title={t('items.inventory.privateTitle')}
        action={
          <span className="line">
            <OutsideLink href={sites.inventoryPrivacy} target="_blank">
              {t('items.inventory.privacySettings')}
            </OutsideLink>
            <ButtonLink to="/items?fresh=1">{t('items.inventory.readAgain')}</ButtonLink>
          </span>
        }
      >
        {t('items.inventory.private')}
      </EmptyState>
    );
  if (!inventory)
    return (
      <Unavailable title={t('errors.unavailable.inventory')}>
        {t(page.refusalText ?? 'errors.unavailable.steam')}
      </Unavailable>
    );
  if (inventory.view.totalPieces === 0)
    return (
      <EmptyState
        icon={PackageOpen}
        title={t('items.inventory.emptyTitle')}
        action={<ButtonLink to="/items?fresh=1">{t('items.inventory.readAgain')}</ButtonLink>}
      >
        {t('items.inventory.empty')} <OtherGames games={page.games} />
      </EmptyState>
    );
  return (
    <InventoryPicker {...page} view={inventory.view} ageMs={inventory.ageMs} isPutOff={inventory.isPutOff} />
  );
}

/** Links to the games that are read on request. */
function OtherGames({ games }: Pick<View, 'games'>) {
  const { t } = useTranslation();
  return (
    <>
      {t('items.inventory.otherGames')}
      {games
        .filter(({ isOnRequest }) => isOnRequest)
        .map(({ appId, name }, place) => (
          <Fragment key={appId}>
            {place === 0 ? ' ' : ', '}
            <Link to={`/items?game=${appId}`}>{name}</Link>
          </Fragment>
        ))}
    </>
  );
}

export default function Items({ loaderData: page }: Route.ComponentProps) {
  const { t } = useTranslation();
  useLiveUpdates('/events');
  const pieces = page.inventory?.view.totalPieces;
  return (
    <>
      <ItemsHead
        current="inventory"
        lede={t('items.inventory.lede')}
        counts={{ ...page.counts, ...(pieces !== undefined && { inventory: pieces }) }}
      />
      {page.linked && !page.tradeLink && (
        <Callout type="warning">
          <p>
            {t('items.inventory.tradeLinkWarning')}{' '}
            <Link to="/profile#trade-link">{t('items.inventory.tradeLinkAct')}</Link>
          </p>
        </Callout>
      )}
      {page.inventory?.missing.map((game) => (
        <Callout key={game} type="warning">
          <p>{t('items.inventory.missingGame', { game })}</p>
        </Callout>
      ))}
      <InventoryProgress parts={page.inventory?.parts ?? []} isAway={page.refused === 'botSilent'} />
      <Inventory page={page} />
      {(pieces ?? 0) > 0 && (
        <p className="s13 faint mt-6">
          <OtherGames games={page.games} />
        </p>
      )}
    </>
  );
}
