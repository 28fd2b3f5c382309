import { data } from 'react-router';
import { nudgeBot } from '#app/services/bot-client.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { tooManyInit } from '#app/services/forms/form-reply.server.ts';
import { waitSeconds } from '#app/services/limits/rate-limits.server.ts';
import {
  type Asked,
  type DockRaffle,
  dockContent,
  type RaffleRefused,
} from '#app/services/overlay/dock-content.server.ts';
import { dockPage, nothingHere } from '#app/services/overlay/overlay-page.server.ts';
import { findByKey } from '#app/services/overlay/overlay-shows.server.ts';
import { translations } from '#app/services/translations.server.ts';
import type { Database } from '#db/database.ts';
import { isId, newId } from '#domain/kernel/id.ts';
import { minute } from '#domain/kernel/time.ts';
import { listLatestWins } from '#domain/overlay/list-latest-wins.ts';
import { mayBeLive } from '#domain/overlay/may-be-live.ts';
import type { Overlay } from '#domain/overlay/overlay.ts';
import { stopOverlay, testOverlay } from '#domain/overlay/set-overlay.ts';
import { type CancelRefusal, cancelRaffle } from '#domain/raffle/cancel-raffle.ts';
import { closeRaffle } from '#domain/raffle/close-raffle.ts';
import { findOwnRaffle } from '#domain/raffle/find-raffle.ts';
import { type StartRefusal, startRaffle } from '#domain/raffle/start-raffle.ts';
import type { Route } from './+types/dock.ts';

const WINS = 5;

async function show(
  overlay: Overlay,
  { asks = null, refused = null }: { asks?: Asked | null; refused?: RaffleRefused | null } = {},
): Promise<Response> {
  const [db, nowMs] = [await database(), await domainNow()];
  const { userId } = overlay;
  const { t } = translations(overlay.locale);
  const facts = {
    isStopped: overlay.stoppedAtMs !== null,
    ...{ asks, refused },
    raffle: await raffleOf(db, userId, nowMs),
    requestId: newId(nowMs),
    wins: await listLatestWins(db.read, { userId, limit: WINS }),
  };
  return dockPage(overlay.locale, t('overlay.title'), dockContent(t, facts));
}

async function raffleOf(db: Database, userId: string, nowMs: number): Promise<DockRaffle | null> {
  const raffle = await findOwnRaffle(db.read, userId);
  if (!raffle) return null;
  const { id, state, keyword, winners, entryCount: entries, lengthMs, endsAtMs } = raffle;
  if (state !== 'prepared' && state !== 'running' && state !== 'sealed') return null;
  const leftMs = endsAtMs === null ? lengthMs : Math.max(0, endsAtMs - nowMs);
  return { id, state, keyword, winners, entries, minutes: Math.ceil(leftMs / minute) };
}

const raffleActs = { start: startRaffle, draw: closeRaffle, cancel: cancelRaffle };
type RaffleAct = keyof typeof raffleActs;

/** Does one of the acts with the streamer's raffle; returns why it was refused, or null. */
async function runRaffle(
  db: Database,
  { userId, hashes }: Overlay,
  { act, id }: { act: RaffleAct; id: unknown },
) {
  const raffle = await findOwnRaffle(db.read, userId);
  // Another press was faster, or the page is old.
  if (!raffle || raffle.id !== id) return 'late';
  const outcome = await raffleActs[act](
    db,
    { raffleId: raffle.id, by: { by: 'dock', id: hashes.dock, userId } },
    await domainNow(),
  );
  if (!outcome.ok) return refusals[outcome.code];
  nudgeBot();
  return null;
}

const refusals: Record<StartRefusal | CancelRefusal | 'notRunning', RaffleRefused> = {
  listUnread: 'unread',
  ...{ notFound: 'late', notPrepared: 'late', notRunning: 'late', listClosed: 'late' },
  accountFrozen: 'frozen',
  ...{ twitchNotLinked: 'account', notAdmitted: 'account' },
  ...{ broadcasterMissing: 'account', channelMissing: 'account', broadcasterRestricted: 'account' },
  ...{ permissionsMissing: 'account', pointsPermissionMissing: 'account' },
};

/** The dock inside OBS. Its address alone authorizes it, and for its own acts only. */
export async function loader({ params: { secret } }: Route.LoaderArgs) {
  const overlay = await findByKey({ door: 'dock', secret });
  return overlay ? show(overlay) : nothingHere();
}

/** The acts of a dock: each by its secret, from its own page, and once for a request. */
export async function action({ params: { secret }, request }: Route.ActionArgs) {
  const overlay = await findByKey({ door: 'dock', secret });
  if (!overlay) return nothingHere();
  const wait = await waitSeconds('dockByAccount', overlay.userId);
  if (wait > 0) throw data(null, tooManyInit(wait));
  const form = await request.formData();
  const [db, nowMs] = [await database(), await domainNow()];
  const { userId } = overlay;
  const again = () =>
    new Response(null, { status: 303, headers: { Location: new URL(request.url).pathname } });
  const act = form.get('act');
  switch (act) {
    case 'test': {
      const requestId = String(form.get('requestId') ?? '');
      if (!isId(requestId)) throw data(null, { status: 400 });
      const wantsItLive = form.get('live') === 'on';
      const sent = await testOverlay(
        db,
        { userId, requestId, mayBeLive: await mayBeLive(db.read, userId), wantsItLive },
        nowMs,
      );
      return sent.ok ? again() : show(overlay, { asks: 'live' });
    }
    case 'stop':
      await stopOverlay(db, { userId, stops: true }, nowMs);
      return again();
    // Stopping is one press, and resuming asks.
    case 'resume':
      if (form.get('sure') !== 'on') return show(overlay, { asks: 'resume' });
      await stopOverlay(db, { userId, stops: false }, nowMs);
      return again();
    case 'start':
    case 'draw':
    case 'cancel': {
      if (act === 'cancel' && form.get('sure') !== 'on') return show(overlay, { asks: 'cancel' });
      const refused = await runRaffle(db, overlay, { act, id: form.get('raffleId') });
      return refused ? show(overlay, { refused }) : again();
    }
    default:
      throw data(null, { status: 400 });
  }
}
