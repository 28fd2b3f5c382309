import { data } from 'react-router';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { choiceIn, previewOf } from '#app/services/overlay/overlay-form.server.ts';
import { overlayPage } from '#app/services/overlay/overlay-page.server.ts';
import type { Route } from './+types/preview.ts';

const grounds = ['bright', 'dark', 'none'];

/** The preview inside the editor: the overlay's own page with made-up viewers, and without its secret. */
export async function loader({ request, context }: Route.LoaderArgs) {
  await requireVerifiedAccount(context);
  const { searchParams } = new URL(request.url);
  const choice = choiceIn(searchParams);
  if (!choice) throw data(null, { status: 404 });
  const ground = grounds.find((each) => each === searchParams.get('ground')) ?? 'bright';
  return overlayPage(choice.locale, { preview: previewOf(choice), ground });
}
