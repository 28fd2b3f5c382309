import { data, redirect } from 'react-router';
import { ConfirmPage } from '#app/components/feedback/confirm.tsx';
import { AffectedKinds } from '#app/components/items/affected-items.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { requireConfirmed, requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { confirmedContext } from '#app/middleware/session.server.ts';
import { nudgeBot } from '#app/services/bot-client.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { malformed, returnRefusals } from '#app/services/forms/trading-refusals.server.ts';
import { kindAmounts, pickedKinds } from '#app/services/items/picked-kinds.server.ts';
import {
  ALL_PIECES,
  emptyQuantity,
  pickFields,
  putPicks,
  readPicks,
  steppedPicks,
} from '#app/services/items/picks.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { ALL_KINDS, listCustody } from '#domain/item/list-custody.ts';
import { isRequestId, newId } from '#domain/kernel/id.ts';
import { returnKinds } from '#domain/transfer/return-kinds.ts';
import type { Route } from './+types/return.ts';
import { backToCustody } from './back-to-custody.server.ts';
import { StayAssigned, useReturnQuestion } from './custody-table.tsx';

/** The confirmation page: lists the kinds and how many of each. */
export async function loader({ request, context }: Route.LoaderArgs) {
  const { id: ownerId } = await requireVerifiedAccount(context);
  const query = new URL(request.url).searchParams;
  const picks = readPicks(query, emptyQuantity(query));
  if (!picks) throw data(null, { status: 400 });
  if (picks.length === 0 && query.has('whole')) throw await backToCustody(request);
  const stepped = steppedPicks(query, picks);
  if (stepped) throw redirect(`/items/return?${putPicks(query, stepped)}`);
  const nowMs = await domainNow();
  const { rows } = await listCustody(await database(), { ownerId, size: ALL_KINDS }, nowMs);
  const wanted = pickedKinds(rows, picks);
  const picked = wanted
    .map((kind) => ({ ...kind, quantity: Math.min(kind.quantity, kind.available) }))
    .filter((kind) => kind.quantity > 0);
  const less =
    picked.length < picks.length ||
    wanted.some(({ quantity, available }) => quantity > available && quantity !== ALL_PIECES);
  const error = picked.length === 0 || less ? returnRefusals.itemUnavailable.key : null;
  return { picked, error, fields: { requestId: newId(nowMs), ...pickFields(picked) } };
}

/** Returns the items, by kinds and quantities. */
export async function action({ request, context }: Route.ActionArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const form = await request.formData();
  const [picks, requestId] = [readPicks(form), String(form.get('requestId'))];
  const [db, nowMs] = [await database(), await domainNow()];
  if (!picks || !isRequestId(requestId, nowMs))
    return data({ error: malformed.key }, { status: malformed.status });
  const { rows } = await listCustody(db, { ownerId: userId, size: ALL_KINDS }, nowMs);
  const kinds = kindAmounts(rows, picks);
  const outcome = kinds
    ? await returnKinds(db, { requestId, userId, kinds, confirmed: context.get(confirmedContext) }, nowMs)
    : ({ ok: false, code: 'itemUnavailable' } as const);
  if (!outcome.ok) {
    if (outcome.code === 'identityUnconfirmed')
      requireConfirmed(context, `/items/return?${putPicks(new URLSearchParams(), picks)}`);
    const { status, key } = returnRefusals[outcome.code];
    return data({ error: key }, { status });
  }
  nudgeBot();
  return redirectWithToast(`/transfers?open=${outcome.transferIds[0]}`, {
    type: 'success',
    title: 'items.return.done',
    body: 'items.return.doneText',
  });
}

export default function Return({ loaderData, actionData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const question = useReturnQuestion();
  const { picked, fields } = loaderData;
  return (
    <ConfirmPage
      {...question(picked)}
      fields={fields}
      back="/items/custody"
      above={[{ to: '/items/custody', label: t('items.tab.custody') }]}
      crumb={t('items.return.crumb')}
      error={actionData?.error ?? loaderData.error ?? undefined}
      impossible={picked.length === 0}
    >
      <AffectedKinds kinds={picked} />
      <StayAssigned kinds={picked} />
    </ConfirmPage>
  );
}
