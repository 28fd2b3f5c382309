import { data, type RouterContextProvider } from 'react-router';
import { noEntries } from '#app/components/rules/picker-entries.ts';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { readPickEntries } from '#app/routes/rules/pick-entries.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { malformed, poolRefusals } from '#app/services/forms/trading-refusals.server.ts';
import type { Pick } from '#app/services/items/picks.server.ts';
import { sessionOf } from '#app/services/sign-in/credential-check.server.ts';
import type { Database } from '#db/database.ts';
import type { Credential } from '#domain/identity/session/filter-valid-credentials.ts';
import { isRequestId } from '#domain/kernel/id.ts';
import type { AttachRefusal } from '#domain/rule/attach-rewards.ts';
import type { DetachRefusal } from '#domain/rule/detach-rewards.ts';
import type { OwnedRule } from '#domain/rule/find-rule.ts';
import { getRule } from '#domain/rule/list-rules.ts';

type Submit = { request: Request; params: { id: string }; context: Readonly<RouterContextProvider> };
type Asked = {
  form: FormData;
  picks: Pick[];
  db: Database;
  nowMs: number;
  rule: OwnedRule;
  request: { requestId: string; ruleId: string; userId: string; by: Credential | null };
};
type Outcome = { ok: true } | { ok: false; code: AttachRefusal | DetachRefusal };

/**
 * Handles one submit of a quantity form for a rule's pool. `change` applies the picks; the result is then null.
 * Otherwise the result is the reply that renders the form again, which is all that plus and minus do without
 * JavaScript.
 */
export async function submitPool(
  { request, params, context }: Submit,
  change: (asked: Asked) => Promise<Outcome>,
) {
  const { id: userId } = await requireVerifiedAccount(context);
  const form = await request.formData();
  const [read, requestId] = [readPickEntries(form), String(form.get('requestId'))];
  const [db, nowMs] = [await database(), await domainNow()];
  if (!read || !isRequestId(requestId, nowMs))
    return data({ error: malformed.key, ...noEntries }, { status: malformed.status });
  const { picks, redraw, ...entries } = read;
  if (redraw) return data({ error: undefined, ...entries });
  // Ownership of the rule is checked before its items.
  const rule = await getRule(db, { ruleId: params.id, ownerId: userId });
  if (!rule) throw data(null, { status: 404 });
  const by = await sessionOf(request, userId);
  const asked = { requestId, ruleId: rule.id, userId, by };
  const outcome = await change({ form, picks, db, nowMs, rule, request: asked });
  if (outcome.ok) return null;
  if (outcome.code === 'notFound') throw data(null, { status: 404 });
  const { status, key } = poolRefusals[outcome.code];
  return data({ error: key, ...entries }, { status });
}
