import { data, redirect } from 'react-router';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { nudgeBot } from '#app/services/bot-client.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { pauseRefusals } from '#app/services/forms/correction-refusals.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { endPause } from '#domain/rule/end-pause.ts';
import type { Route } from './+types/resume-rule.ts';

export const loader = ({ params }: Route.LoaderArgs) => redirect(`/rules/${params.id}`);

/** Ends the owner's pause of a rule. Ending it twice is the same. */
export async function action({ params, context }: Route.ActionArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const outcome = await endPause(await database(), { ruleId: params.id, userId }, await domainNow());
  const page = `/rules/${params.id}`;
  if (!outcome.ok) {
    if (outcome.code === 'notFound') throw data(null, { status: 404 });
    return redirectWithToast(page, { type: 'danger', title: pauseRefusals[outcome.code].key });
  }
  nudgeBot();
  return redirectWithToast(
    page,
    outcome.open ? { type: 'success', title: 'pause.resumed' } : { type: 'info', title: 'pause.stillPaused' },
  );
}
