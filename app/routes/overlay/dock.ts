import { data } from 'react-router';
import { clientAddressContext } from '#app/middleware/contexts.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { tooManyInit } from '#app/services/forms/form-reply.server.ts';
import { waitSeconds } from '#app/services/limits/rate-limits.server.ts';
import { dockContent } from '#app/services/overlay/dock-content.server.ts';
import { dockPage, nothingHere } from '#app/services/overlay/overlay-page.server.ts';
import { findByKey } from '#app/services/overlay/overlay-shows.server.ts';
import { translations } from '#app/services/translations.server.ts';
import { isId, newId } from '#domain/kernel/id.ts';
import { listLatestWins } from '#domain/overlay/list-latest-wins.ts';
import { mayBeLive } from '#domain/overlay/may-be-live.ts';
import type { Overlay } from '#domain/overlay/overlay.ts';
import { stopOverlay, testOverlay } from '#domain/overlay/set-overlay.ts';
import type { Route } from './+types/dock.ts';

const WINS = 5;

async function show(overlay: Overlay, asks: 'live' | 'resume' | null = null): Promise<Response> {
  const db = await database();
  const { t } = translations(overlay.locale);
  const wins = await listLatestWins(db.read, { userId: overlay.userId, limit: WINS });
  const facts = { isStopped: overlay.stoppedAtMs !== null, asks, requestId: newId(await domainNow()), wins };
  return dockPage(overlay.locale, t('overlay.title'), dockContent(t, facts));
}

/** The dock inside OBS. Its address alone authorizes it, and for its own acts only. */
export async function loader({ params: { secret } }: Route.LoaderArgs) {
  const overlay = await findByKey({ door: 'dock', secret });
  return overlay ? show(overlay) : nothingHere();
}

/** The acts of a dock: each by its secret, from its own page, and once for a request. */
export async function action({ params: { secret }, request, context }: Route.ActionArgs) {
  const overlay = await findByKey({ door: 'dock', secret });
  if (!overlay) return nothingHere();
  const wait = await waitSeconds('dockByAddress', context.get(clientAddressContext));
  if (wait > 0) throw data(null, tooManyInit(wait));
  const form = await request.formData();
  const [db, nowMs] = [await database(), await domainNow()];
  const { userId } = overlay;
  const again = () =>
    new Response(null, { status: 303, headers: { Location: new URL(request.url).pathname } });
  switch (form.get('act')) {
    case 'test': {
      const requestId = String(form.get('requestId') ?? '');
      if (!isId(requestId)) throw data(null, { status: 400 });
      const wantsItLive = form.get('live') === 'on';
      const sent = await testOverlay(
        db,
        { userId, requestId, mayBeLive: await mayBeLive(db.read, userId), wantsItLive },
        nowMs,
      );
      return sent.ok ? again() : show(overlay, 'live');
    }
    case 'stop':
      await stopOverlay(db, { userId, stops: true }, nowMs);
      return again();
    // Stopping is one press, and resuming asks.
    case 'resume':
      if (form.get('sure') !== 'on') return show(overlay, 'resume');
      await stopOverlay(db, { userId, stops: false }, nowMs);
      return again();
    default:
      throw data(null, { status: 400 });
  }
}
