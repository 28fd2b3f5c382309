import type { SubmissionResult } from '@conform-to/dom';
import { parseWithZod } from '@conform-to/zod/v4';
import { data, redirect } from 'react-router';
import { ConfirmPage } from '#app/components/feedback/confirm.tsx';
import { PageHead } from '#app/components/shell/page-head.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { config } from '#app/config.server.ts';
import { waitHeaders } from '#app/http/retry-after.server.ts';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { nudgeBot } from '#app/services/bot-client.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { correctionRefusals } from '#app/services/forms/correction-refusals.server.ts';
import { replyInvalid, replyRefused, replyTooMany } from '#app/services/forms/form-reply.server.ts';
import { malformed } from '#app/services/forms/trading-refusals.server.ts';
import { waitSeconds } from '#app/services/limits/rate-limits.server.ts';
import { sessionOf } from '#app/services/sign-in/credential-check.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { isRequestId, newId } from '#domain/kernel/id.ts';
import { applyCorrection, isApplied } from '#domain/rule/apply-correction.ts';
import { countedAnew } from '#domain/rule/begin-counting.ts';
import { wasPromised } from '#domain/rule/correct-rule.ts';
import { correctionModeOf } from '#domain/rule/correction-mode.ts';
import { getRule } from '#domain/rule/list-rules.ts';
import { pauseRule, SHORT_PAUSE_MS } from '#domain/rule/pause-rule.ts';
import { previewCorrection } from '#domain/rule/preview-correction.ts';
import type { Route } from './+types/correct-rule.ts';
import { enteredFor } from './correction-form.server.ts';
import { CorrectionForm } from './correction-form.tsx';
import { type CorrectionReview, useCorrectionQuestion } from './correction-review.tsx';
import { draftOf, RuleFormSchema } from './rule-form.server.ts';

export const headers = waitHeaders;

export async function loader({ params, context }: Route.LoaderArgs) {
  const { id: ownerId } = await requireVerifiedAccount(context);
  const db = await database();
  const rule = await getRule(db, { ruleId: params.id, ownerId });
  if (!rule) throw data(null, { status: 404 });
  if (rule.state === 'closed') throw redirect(`/rules/${rule.id}`);
  const isPromised = await wasPromised(db.read, rule.id);
  return { rule, isPromised, start: enteredFor(rule), requestId: newId(await domainNow()) };
}

type Refusal = keyof typeof correctionRefusals;

/** The form with its errors, or the question before a correction. */
type Answer = { result: SubmissionResult<string[]>; review?: CorrectionReview };

/**
 * Counts whom the correction touches and asks; confirmed, it corrects, or a harder rule takes the place of one that has
 * promised. If the count differs by then, or what would be done, it asks again.
 */
export async function action({ request, params, context }: Route.ActionArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const [db, nowMs] = [await database(), await domainNow()];
  const rule = await getRule(db, { ruleId: params.id, ownerId: userId });
  if (!rule) throw data(null, { status: 404 });
  const form = await request.formData();
  const submission = parseWithZod(form, { schema: RuleFormSchema });
  if (form.has('edit')) return data<Answer>({ result: { initialValue: textsIn(form) } });
  if (submission.status !== 'success') return data<Answer>(...dataOf(replyInvalid(submission)));
  const confirmed = form.has('confirmed');
  const { requestId, ...entered } = submission.value;
  if (!isRequestId(requestId, nowMs)) return data<Answer>(...dataOf(replyRefused(submission, malformed)));
  const wanted = draftOf({ requestId, ...entered });
  const refuse = (code: Refusal) =>
    data<Answer>(...dataOf(replyRefused(submission, correctionRefusals[code])));
  const { paidDrawsAllowed } = config();
  const asked = { requestId, ruleId: rule.id, userId, wanted, paidDrawsAllowed };
  // A repeated confirmation has nothing left to correct, and leads to where the first one did.
  const repeated = confirmed && (await isApplied(db.read, asked));
  if (!repeated) {
    const found = await correctionModeOf(db.read, { rule, wanted, paidDrawsAllowed });
    if (!found.ok) return refuse(found.code);
    const { mode } = found;
    const wait = await waitSeconds('dryRunByAccount', userId);
    if (wait > 0) return data<Answer>(...dataOf(replyTooMany(submission, wait)));
    const preview = await previewCorrection(db, { rule, wanted }, nowMs);
    const counted = `${mode} ${preview.newly} ${preview.leaving}`;
    if (form.get('counted') !== counted) {
      // The browser may have kept the form of an earlier correction, whose id is used.
      const fields = { ...textsIn(form), requestId: newId(nowMs), confirmed: '1', counted, mode };
      // With the same facts beside them, only what the correction changes differs in words.
      const both = { rule, wanted: { ...rule, ...wanted } };
      const anew = countedAnew(rule, wanted).length > 0;
      const counts = { preview, countedAtMs: nowMs, recounted: confirmed, mode, anew };
      return data<Answer>({ result: submission.reply(), review: { ...both, ...counts, fields } });
    }
  }
  // It opens again by itself, so nothing is left undone if the correction is refused after all.
  if (!repeated && form.has('pause') && rule.state === 'open') {
    await pauseRule(db, { ruleId: rule.id, userId, resumesAtMs: nowMs + SHORT_PAUSE_MS }, nowMs);
    nudgeBot();
  }
  const by = await sessionOf(request, userId);
  const mode = form.get('mode') === 'succeed' ? 'succeed' : 'correct';
  const outcome = await applyCorrection(db, { ...asked, by, mode, again: form.has('again') }, nowMs);
  if (!outcome.ok) {
    if (outcome.code === 'notFound') throw data(null, { status: 404 });
    return refuse(outcome.code);
  }
  nudgeBot();
  const title = outcome.repeated ? 'correct.already' : said[mode];
  const type = outcome.repeated ? 'info' : 'success';
  return redirectWithToast(`/rules/${outcome.ruleId}`, { type, title });
}

const said = { correct: 'correct.done', succeed: 'correct.succeeded' } as const;

const dataOf = (reply: { data: Answer; init: ResponseInit | null }) =>
  [reply.data, reply.init ?? {}] as const;

const textsIn = (form: FormData): Record<string, string> =>
  Object.fromEntries([...form].filter((pair): pair is [string, string] => typeof pair[1] === 'string'));

export default function CorrectRule({ loaderData, actionData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const { rule, isPromised } = loaderData;
  const question = useCorrectionQuestion(actionData?.review);
  const above = [
    { to: '/rules', label: t('rules.title') },
    { to: `/rules/${rule.id}`, label: rule.name },
  ];
  if (question)
    return <ConfirmPage {...question} crumb={t('correct.act')} back={{ name: 'edit' }} above={above} />;
  return (
    <>
      <PageHead
        title={t('correct.title')}
        lede={t(isPromised ? 'correct.lede' : 'correct.ledeFree')}
        above={above}
      />
      <CorrectionForm {...loaderData} result={actionData?.result} />
    </>
  );
}
