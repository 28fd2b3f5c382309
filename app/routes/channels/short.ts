import { data, redirect } from 'react-router';
import type { Route } from './+types/short.ts';

/**
 * A short address that a streamer can say aloud. A login may later belong to someone else, so it must not be cached.
 */
export function loader({ params: { login } }: Route.LoaderArgs) {
  if (!/^\w{1,60}$/.test(login)) throw data(null, { status: 404 });
  return redirect(`/channels/${login.toLowerCase()}`);
}
