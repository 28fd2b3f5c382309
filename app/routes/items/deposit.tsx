import { data, redirect } from 'react-router';
import { ConfirmPage } from '#app/components/feedback/confirm.tsx';
import { ErrorText } from '#app/components/forms/field.tsx';
import { AffectedKinds } from '#app/components/items/affected-items.tsx';
import { Unavailable } from '#app/components/lists/list-states.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { viewInventory } from '#app/routes/items/inventory-view.server.ts';
import { nudgeBot } from '#app/services/bot-client.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import {
  depositRefusals,
  inventoryRefusals,
  malformed,
} from '#app/services/forms/trading-refusals.server.ts';
import { depositPicks, readDepositable } from '#app/services/items/deposit.server.ts';
import {
  pickedGames,
  pickFields,
  putPicks,
  readPicks,
  steppedPicks,
} from '#app/services/items/picks.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { isRequestId, newId } from '#domain/kernel/id.ts';
import { MAX_ITEMS_PER_OFFER } from '#domain/transfer/offer-size.ts';
import type { Route } from './+types/deposit.ts';

const noFilters = { q: '', game: '', type: '', rarity: '', order: '', each: '' };

/** The confirmation page: lists the kinds and how many of each. */
export async function loader({ request, context }: Route.LoaderArgs) {
  const { id: userId, steam } = await requireVerifiedAccount(context);
  if (!steam) throw redirect('/items');
  const query = new URL(request.url).searchParams;
  const picks = readPicks(query);
  if (!picks) throw data(null, { status: 400 });
  const stepped = steppedPicks(query, picks);
  if (stepped) throw redirect(`/items?${putPicks(query, stepped)}`);
  const back = `/items?${putPicks(query, picks)}`;
  const read = await readDepositable(
    await database(),
    { userId, steamId: steam.steamId },
    { appIds: pickedGames(picks) },
  );
  if (!read.ok) {
    const { status, key } = inventoryRefusals[read.code];
    return data({ picked: null, fields: {}, back, error: key }, { status });
  }
  const { picked } = viewInventory(read.kinds, noFilters, { picks, after: null });
  const less =
    picked.length < picks.length || picked.some((kind, n) => kind.quantity < (picks[n]?.quantity ?? 0));
  const error =
    picked.length === 0 ? depositRefusals.nothingPicked.key : less ? depositRefusals.assetMissing.key : null;
  const fields = { requestId: newId(await domainNow()), ...pickFields(picked) };
  return data({ picked, fields, back, error }, { status: 200 });
}

/** Requests the deposit. The assets themselves are read from the inventory again. */
export async function action({ request, context }: Route.ActionArgs) {
  const account = await requireVerifiedAccount(context);
  const form = await request.formData();
  const [picks, requestId] = [readPicks(form), String(form.get('requestId'))];
  const [db, nowMs] = [await database(), await domainNow()];
  if (!picks || !isRequestId(requestId, nowMs))
    return data({ error: malformed.key }, { status: malformed.status });
  const outcome = await depositPicks(db, { requestId, account, picks }, nowMs);
  if (!outcome.ok) {
    const { status, key } = { ...depositRefusals, ...inventoryRefusals }[outcome.code];
    return data({ error: key }, { status });
  }
  nudgeBot();
  return redirectWithToast(`/transfers?open=${outcome.transferId}`, {
    type: 'success',
    title: 'items.deposit.done',
    body: 'items.deposit.doneText',
  });
}

export default function Deposit({ loaderData, actionData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const { picked, fields, back } = loaderData;
  if (!picked)
    return (
      <Unavailable title={t('errors.unavailable.inventory')}>
        <ErrorText error={loaderData.error ?? 'errors.unavailable.steam'} />
      </Unavailable>
    );
  const count = picked.reduce((sum, kind) => sum + kind.quantity, 0);
  return (
    <ConfirmPage
      title={t('items.deposit.question', { count })}
      text={t('items.deposit.text')}
      act={t('items.deposit.act', { count })}
      keep={t('items.deposit.keep')}
      fields={fields}
      back={back}
      above={[{ to: '/items', label: t('items.title') }]}
      crumb={t('items.deposit.crumb')}
      error={actionData?.error ?? loaderData.error ?? undefined}
      impossible={count === 0}
    >
      {count > MAX_ITEMS_PER_OFFER && <p>{t('items.deposit.several')}</p>}
      <AffectedKinds kinds={picked} />
    </ConfirmPage>
  );
}
