import { data, redirect } from 'react-router';
import type { Route } from './+types/short.ts';

/** The address that a streamer can say aloud. A login may pass to somebody else, so browsers must ask again. */
export function loader({ params: { login } }: Route.LoaderArgs) {
  if (!/^\w{1,60}$/.test(login)) throw data(null, { status: 404 });
  return redirect(`/channels/${login.toLowerCase()}`);
}
