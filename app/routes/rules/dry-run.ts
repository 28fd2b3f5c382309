import { parseWithZod } from '@conform-to/zod/v4';
import { data } from 'react-router';
import { waitHeaders } from '#app/http/retry-after.server.ts';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { waitSeconds } from '#app/services/limits/rate-limits.server.ts';
import { dryRun } from '#domain/view/dry-run.ts';
import type { Route } from './+types/dry-run.ts';
import { draftOf, RuleFormSchema } from './rule-form.server.ts';

export const headers = waitHeaders;

/** Dry-runs the rule in the form; returns nothing while the form is invalid, because the form shows why. */
export async function loader({ request, context }: Route.LoaderArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const submission = parseWithZod(new URL(request.url).searchParams, { schema: RuleFormSchema });
  if (submission.status !== 'success') return { found: null };
  const wait = await waitSeconds('dryRunByAccount', userId);
  if (wait > 0) return data({ found: null }, { status: 429, headers: { 'Retry-After': String(wait) } });
  const asked = { userId, channelId: submission.value.channel || null, draft: draftOf(submission.value) };
  const outcome = await dryRun(await database(), asked, await domainNow());
  return { found: outcome.ok ? outcome.found : null };
}
