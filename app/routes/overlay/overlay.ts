import { nothingHere, overlayPage } from '#app/services/overlay/overlay-page.server.ts';
import { findByKey } from '#app/services/overlay/overlay-shows.server.ts';
import type { Route } from './+types/overlay.ts';

/** The overlay that a streamer adds to OBS. Whoever has its address sees what viewers see. */
export async function loader({ params: { secret } }: Route.LoaderArgs) {
  const overlay = await findByKey({ door: 'overlay', secret });
  return overlay ? overlayPage(overlay.locale) : nothingHere();
}
