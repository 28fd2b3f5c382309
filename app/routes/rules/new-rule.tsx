import type { Submission, SubmissionResult } from '@conform-to/dom';
import { parseWithZod } from '@conform-to/zod/v4';
import { data } from 'react-router';
import type { z } from 'zod';
import { Callout } from '#app/components/feedback/callout.tsx';
import { ConfirmPage, OpenDialog, useHydrated } from '#app/components/feedback/confirm.tsx';
import { ErrorText } from '#app/components/forms/field.tsx';
import { noEntries, type PickerEntries } from '#app/components/rules/picker-entries.ts';
import { Link } from '#app/components/shell/link.tsx';
import { PageHead } from '#app/components/shell/page-head.tsx';
import { useSpanText } from '#app/components/text/amounts.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { config } from '#app/config.server.ts';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { type EnteredPicks, readPickEntries } from '#app/routes/rules/pick-entries.server.ts';
import { nudgeBot } from '#app/services/bot-client.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { constraintOf } from '#app/services/forms/form-fields.server.ts';
import { replyInvalid, replyRefused } from '#app/services/forms/form-reply.server.ts';
import { malformed, ruleRefusals } from '#app/services/forms/trading-refusals.server.ts';
import { amountsOf } from '#app/services/items/picks.server.ts';
import { sessionOf } from '#app/services/sign-in/credential-check.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import type { Account } from '#domain/account/get-account.ts';
import { getSendDelay } from '#domain/identity/send-delay.ts';
import type { Credential } from '#domain/identity/session/filter-valid-credentials.ts';
import { isRequestId, newId } from '#domain/kernel/id.ts';
import {
  createRule,
  DEFAULT_CLAIM_TIMEOUT_HOURS,
  type RuleRefusal,
  ruleRefusalOf,
} from '#domain/rule/create-rule.ts';
import { getRule } from '#domain/rule/list-rules.ts';
import { weightBounds } from '#domain/rule/set-kind-weights.ts';
import type { Route } from './+types/new-rule.ts';
import { pickableKinds, pickablePieces, pickedElsewhere } from './available-kinds.server.ts';
import { type ConditionField, conditionStart, refusedFields } from './conditions/condition-parts.ts';
import { firstRewards, reviewFields } from './first-rewards.server.ts';
import { NewRuleForm } from './new-rule-form.tsx';
import { draftOf, RuleFormSchema, ruleFormShape } from './rule-form.server.ts';
import { rulePlacesOf } from './rule-places.server.ts';
import { reviewOf } from './rule-review.server.ts';
import { type Review, useQuestion } from './rule-review.tsx';

const defaults = {
  name: '',
  type: 'one',
  channel: '',
  ...conditionStart,
  watch: 'on',
  claimTimeoutHours: String(DEFAULT_CLAIM_TIMEOUT_HOURS),
};

/**
 * With `rewards=all` the form begins with every available item picked, as suits a first rule; with `each=1`, pieces that
 * differ in wear are picked by themselves.
 */
export async function loader({ request, context }: Route.LoaderArgs) {
  const account = await requireVerifiedAccount(context);
  const { places, lacks } = await rulePlacesOf(account);
  const nowMs = await domainNow();
  const query = new URL(request.url).searchParams;
  const [each, all] = [query.get('each') === '1', query.get('rewards') === 'all'];
  const kinds = await (each ? pickablePieces : pickableKinds)(await database(), account.id, nowMs);
  return {
    start: defaults,
    picker: { ...noEntries, ...(all && { amounts: amountsOf(kinds.map(pickAll)) }) },
    lacks: lacks && ruleRefusals[lacks].key,
    places,
    delayHours: (await getSendDelay((await database()).read, account.id, nowMs)).hours,
    kinds,
    each,
    weights: each ? null : weightBounds,
    requestId: newId(nowMs),
    constraint: constraintOf(ruleFormShape),
  };
}

const pickAll = ({ key, available }: { key: string; available: number }) => ({ key, quantity: available });

/** Refusals shown at a field; the others are shown above the form. */
const besides: Partial<Record<RuleRefusal, 'type' | ConditionField>> = {
  paidDraw: 'type',
  ...refusedFields,
};

/** The fields as they were sent, without the condition or the type that a repair takes away. */
function repaired(form: FormData): Record<string, string> {
  const repair = form.get('repair');
  const fields = [...form].filter(([name, value]) => typeof value === 'string' && name !== repair);
  return { ...Object.fromEntries(fields as [string, string][]), ...(repair === 'one' && { type: 'one' }) };
}

/** Shows a review of the form first; with `confirmed` it opens the rule under the request's id. */
export async function action({ request, context }: Route.ActionArgs) {
  const account = await requireVerifiedAccount(context);
  const form = await request.formData();
  const submission = parseWithZod(form, { schema: RuleFormSchema });
  const entries = readPickEntries(form);
  const nowMs = await domainNow();
  if (!entries) return data<Answer>(replyRefused(submission, malformed).data, malformed);
  const { picks: _, redraw, ...entered } = entries;
  const each = new URL(request.url).searchParams.get('each') === '1';
  const db = await database();
  const { amounts } = entered;
  const others = await pickedElsewhere(db, { ownerId: account.id, each, amounts }, nowMs);
  const picker = { ...entered, others };
  if (redraw || form.has('edit') || form.has('repair'))
    return data<Answer>({ result: { initialValue: repaired(form) }, picker });
  const by = await sessionOf(request, account.id);
  const reply = await submit(account, { form, submission, entries, by }, nowMs);
  return reply instanceof Response ? reply : data<Answer>({ ...reply.data, picker }, reply.init ?? {});
}

/** The form as it was sent, with its errors or the question before the rule opens. */
type Answer = { result: SubmissionResult<string[]>; picker?: PickerEntries; review?: Review };

type Submit = {
  form: FormData;
  submission: Submission<z.output<typeof RuleFormSchema>>;
  entries: EnteredPicks;
  by: Credential | null;
};

async function submit(account: Account, { form, submission, entries, by }: Submit, nowMs: number) {
  if (submission.status !== 'success') return replyInvalid(submission);
  const { requestId, channel } = submission.value;
  if (!isRequestId(requestId, nowMs)) return replyRefused(submission, malformed);
  const refuse = (code: RuleRefusal) => replyRefused(submission, ruleRefusals[code], besides[code]);
  const { id: userId } = account;
  const draft = draftOf(submission.value);
  const asked = { userId, channelId: channel || null, draft, paidDrawsAllowed: config().paidDrawsAllowed };
  const db = await database();
  const rewards = await firstRewards(db, { ownerId: userId, entries, type: draft.type }, nowMs);
  if (!form.has('confirmed')) {
    const refused = (await ruleRefusalOf(db.read, asked, nowMs)) ?? rewards.refusal;
    if (refused) return refuse(refused);
    const review = await reviewOf(db, { account, asked, rewards }, nowMs);
    return data({ result: submission.reply(), review: { ...review, fields: reviewFields(form, entries) } });
  }
  // If the first request opened the rule, its items may be taken by now.
  const repeated = !rewards.complete && (await getRule(db, { ruleId: requestId, ownerId: userId }));
  if (!rewards.complete && !repeated) return refuse('notEnough');
  const opened = { requestId, ...asked, kinds: rewards.kinds, by };
  const outcome = await createRule(db, opened, nowMs);
  if (!outcome.ok) return refuse(outcome.code);
  nudgeBot();
  // A rule without rewards is nothing to tell viewers about yet.
  const next = rewards.kinds.length > 0 ? `/rules/${outcome.ruleId}/announce` : `/rules/${outcome.ruleId}`;
  return redirectWithToast(next, { type: 'success', title: 'messages.ruleCreated' });
}

export default function NewRule({ loaderData, actionData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const span = useSpanText();
  const { lacks, each, delayHours } = loaderData;
  const lede = t('rules.form.lede');
  const delay = delayHours > 0 && t('rules.ledeDelay', { span: span(delayHours * 3600) });
  const page = `/rules/new${each ? '?each=1' : ''}`;
  const hydrated = useHydrated();
  const review = actionData?.review;
  const question = useQuestion(review);
  const above = [{ to: '/rules', label: t('rules.title') }];
  if (question && review && !hydrated)
    return <ConfirmPage {...question} back={{ name: 'edit' }} above={above} action={page} />;
  return (
    <>
      <PageHead title={t('rules.new')} lede={delay ? `${lede} ${delay}` : lede} above={above} />
      {lacks && (
        <Callout type="warning">
          <p>
            <ErrorText error={lacks} /> <Link to="/profile">{t('items.inventory.connect')}</Link>
          </p>
        </Callout>
      )}
      <NewRuleForm key={String(each)} {...loaderData} answer={actionData} />
      {question && review && <OpenDialog to={review} {...question} page={page} />}
    </>
  );
}
