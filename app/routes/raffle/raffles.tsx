import { data, redirect } from 'react-router';
import { z } from 'zod';
import { Callout } from '#app/components/feedback/callout.tsx';
import { ButtonLink } from '#app/components/forms/button.tsx';
import { PageHead } from '#app/components/shell/page-head.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { config } from '#app/config.server.ts';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { nudgeBot } from '#app/services/bot-client.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { kindKey, kindKeyPattern } from '#app/services/items/picks.server.ts';
import { sessionOf } from '#app/services/sign-in/credential-check.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import type { Database } from '#db/database.ts';
import { getChatSettings } from '#domain/channel/get-chat-settings.ts';
import { type Conditions, conditionBounds } from '#domain/condition/conditions.ts';
import type { Credential } from '#domain/identity/session/filter-valid-credentials.ts';
import { ALL_KINDS, listCustody } from '#domain/item/list-custody.ts';
import { isRequestId, newId } from '#domain/kernel/id.ts';
import { type CancelRefusal, cancelRaffle } from '#domain/raffle/cancel-raffle.ts';
import { closeRaffle } from '#domain/raffle/close-raffle.ts';
import { findOwnRaffle } from '#domain/raffle/find-raffle.ts';
import { findRaffleOf, listRaffles } from '#domain/raffle/list-raffles.ts';
import { prepareRaffle, type RaffleRefusal, raffleBounds } from '#domain/raffle/prepare-raffle.ts';
import { type StartRefusal, startRaffle } from '#domain/raffle/start-raffle.ts';
import { DEFAULT_CLAIM_TIMEOUT_HOURS } from '#domain/rule/create-rule.ts';
import type { Route } from './+types/raffles.ts';
import { LiveRaffle } from './live-raffle.tsx';
import { PastRaffles } from './past-raffles.tsx';
import { PrepareForm } from './prepare-form.tsx';

export async function loader({ request, context }: Route.LoaderArgs) {
  const { id: ownerId, twitch } = await requireVerifiedAccount(context);
  const db = await database();
  const nowMs = await domainNow();
  const chat = twitch && (await getChatSettings(db.read, twitch.id));
  const raffle = await findOwnRaffle(db.read, ownerId);
  const rows = await freeKinds(db, ownerId, nowMs);
  const latest = await listRaffles(db.read, { ownerId, size: 10 });
  return {
    requestId: newId(nowMs),
    paidDrawsAllowed: config().paidDrawsAllowed,
    chatFault: chat?.chatFault ?? null,
    raffle: raffle && {
      id: raffle.id,
      state: raffle.state,
      keyword: raffle.keyword,
      winners: raffle.winners,
      entryCount: raffle.entryCount,
      asksToCancel: new URL(request.url).searchParams.get('cancel') === raffle.id,
    },
    past: latest.rows
      .filter(({ id, startedAtMs }) => startedAtMs !== null && id !== raffle?.id)
      .map(({ id, keyword, state, startedAtMs }) => ({ id, keyword, state, startedAtMs })),
    kinds: rows.map((kind) => ({ key: kindKey(kind), name: kind.name, available: kind.available })),
  };
}

/** Lists what can be given away, all of it. */
const freeKinds = async (db: Database, ownerId: string, nowMs: number) =>
  (await listCustody(db, { ownerId, filter: 'available', size: ALL_KINDS }, nowMs)).rows;

const whole = ({ min, max }: { min: number; max: number }) => z.coerce.number().int().min(min).max(max);
/** Null if the field is empty, or not on the form. */
const wholeOrNone = (bounds: { min: number; max: number }) =>
  z
    .literal('')
    .transform(() => null)
    .or(whole(bounds))
    .default(null);
const watchHours = { min: 1, max: conditionBounds.watchMinutes.max / 60 };
const entered = z.object({
  requestId: z.string(),
  keyword: z.string().max(100),
  kind: z.string().regex(kindKeyPattern),
  winners: whole(raffleBounds.winners),
  minutes: whole(raffleBounds.minutes),
  winnersOutDays: whole(raffleBounds.winnersOutDays),
  followDays: wholeOrNone(conditionBounds.followDays),
  watchHours: wholeOrNone(watchHours),
  attendedStreams: wholeOrNone(conditionBounds.attendedStreams),
  subscriberTier: wholeOrNone({ min: 1, max: 3 }),
  moderators: z.string().optional(),
});

type Refused =
  | 'invalid'
  | 'keyword'
  | 'live'
  | 'paid'
  | 'items'
  | 'account'
  | 'frozen'
  | 'counted'
  | 'late'
  | 'unread';

const refusals: Record<RaffleRefusal, Refused> = {
  keywordUnfit: 'keyword',
  keywordTaken: 'keyword',
  raffleLive: 'live',
  paidDraw: 'paid',
  notEnough: 'items',
  rewardLimit: 'items',
  steamChangedRecently: 'items',
  requestUsed: 'invalid',
  lastStreamsTooFew: 'invalid',
  notCounted: 'counted',
  steamNotLinked: 'account',
  accountFrozen: 'frozen',
  twitchNotLinked: 'account',
  notAdmitted: 'account',
  broadcasterMissing: 'account',
  channelMissing: 'account',
  broadcasterRestricted: 'account',
  permissionsMissing: 'account',
  pointsPermissionMissing: 'account',
};

const PAGE = '/raffles';
const refused = (why: Refused) => redirectWithToast(PAGE, { type: 'danger', title: `raffle.refused.${why}` });

async function prepare(form: FormData, userId: string, by: Credential | null) {
  const nowMs = await domainNow();
  const { data: draft } = entered.safeParse(Object.fromEntries(form));
  if (!draft || !isRequestId(draft.requestId, nowMs)) return refused('invalid');
  const db = await database();
  const kind = (await freeKinds(db, userId, nowMs)).find((free) => kindKey(free) === draft.kind);
  const { requestId, keyword, winners, minutes, winnersOutDays, moderators } = draft;
  // A repeated request may itself have taken the last one.
  if (!kind)
    return (await findRaffleOf(db.read, { raffleId: requestId, ownerId: userId }))
      ? done('prepare')
      : refused('items');
  const prepared = await prepareRaffle(
    db,
    {
      requestId,
      userId,
      by,
      paidDrawsAllowed: config().paidDrawsAllowed,
      draft: {
        ...{ keyword, winners, minutes, winnersOutDays },
        conditions: askedIn(draft),
        kind,
        moderatorsMayEnter: moderators !== undefined,
        claimTimeoutHours: DEFAULT_CLAIM_TIMEOUT_HOURS,
      },
    },
    nowMs,
  );
  return prepared.ok ? done('prepare') : refused(refusals[prepared.code]);
}

/** Entering never costs points, and nothing is counted from the beginning of a raffle. */
const askedIn = (draft: z.output<typeof entered>): Conditions => ({
  followDays: draft.followDays,
  watchMinutes: draft.watchHours && draft.watchHours * 60,
  watchScope: 'allTime',
  attendedStreams: draft.attendedStreams,
  ofLastStreams: null,
  subscriberTier: draft.subscriberTier as Conditions['subscriberTier'],
  pointsCost: null,
});

function done(act: 'prepare' | keyof typeof acts) {
  nudgeBot();
  return redirectWithToast(PAGE, { type: 'success', title: `raffle.done.${act}` });
}

const acts = { start: startRaffle, draw: closeRaffle, cancel: cancelRaffle };

const refusalsOfActs: Record<StartRefusal | CancelRefusal | 'notRunning', Refused> = {
  listUnread: 'unread',
  ...{ notFound: 'late', notPrepared: 'late', notRunning: 'late', listClosed: 'late' },
  ...{ accountFrozen: 'frozen', twitchNotLinked: 'account', notAdmitted: 'account' },
  ...{ broadcasterMissing: 'account', channelMissing: 'account', broadcasterRestricted: 'account' },
  ...{ permissionsMissing: 'account', pointsPermissionMissing: 'account' },
};

/** Prepares a raffle, or does what was asked with the streamer's. */
export async function action({ request, context }: Route.ActionArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const form = await request.formData();
  const act = String(form.get('act') ?? '');
  const by = await sessionOf(request, userId);
  if (act === 'prepare') return prepare(form, userId, by);
  if (act !== 'start' && act !== 'draw' && act !== 'cancel') throw data(null, { status: 400 });
  const db = await database();
  const raffle = await findOwnRaffle(db.read, userId);
  // Another click was faster, or the page is old.
  if (!raffle || raffle.id !== form.get('raffleId')) return refused('late');
  // The question is a page of its own, which needs no script.
  if (act === 'cancel' && form.get('sure') !== 'on') return redirect(`${PAGE}?cancel=${raffle.id}`);
  const outcome = await acts[act](db, { raffleId: raffle.id, by }, await domainNow());
  return outcome.ok ? done(act) : refused(refusalsOfActs[outcome.code]);
}

export default function Raffles({ loaderData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const { raffle, past, kinds, requestId, paidDrawsAllowed, chatFault } = loaderData;
  return (
    <>
      <PageHead title={t('raffle.raffles')} lede={t('raffle.lede')} />
      {chatFault && (
        <Callout type="warning" title={t('channel.chat.faultTitle')}>
          <p>{t(`channel.chat.fault.${chatFault}`)}</p>
          <div className="line">
            <ButtonLink to="/channel">{t('channel.act')}</ButtonLink>
          </div>
        </Callout>
      )}
      {raffle && <LiveRaffle raffle={raffle} />}
      {!raffle && kinds.length === 0 && <p className="muted">{t('raffle.noItems')}</p>}
      {!raffle && kinds.length > 0 && <PrepareForm {...{ kinds, requestId, paidDrawsAllowed }} />}
      {past.length > 0 && <PastRaffles raffles={past} />}
    </>
  );
}
