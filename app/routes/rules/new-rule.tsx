import { parseWithZod } from '@conform-to/zod/v4';
import { useEffect, useRef, useState } from 'react';
import { Form, useFetcher } from 'react-router';
import { Callout } from '#app/components/feedback/callout.tsx';
import { ConfirmPage, OpenDialog, type Question, useHydrated } from '#app/components/feedback/confirm.tsx';
import { ButtonLink, SubmitButton } from '#app/components/forms/button.tsx';
import { ErrorText, FormErrors } from '#app/components/forms/field.tsx';
import { useForm } from '#app/components/forms/form.ts';
import { ConditionList, TypeLine } from '#app/components/rules/rule-words.tsx';
import { Link } from '#app/components/shell/link.tsx';
import { PageHead } from '#app/components/shell/page-head.tsx';
import { useSpanText } from '#app/components/text/amounts.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { config } from '#app/config.server.ts';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { constraintOf } from '#app/services/form-fields.server.ts';
import { replyInvalid, replyRefused } from '#app/services/form-reply.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { malformed, ruleRefusals } from '#app/services/trading-refusals.server.ts';
import { isRequestId, newId } from '#domain/id.ts';
import {
  createRule,
  DEFAULT_CLAIM_TIMEOUT_HOURS,
  type RuleRefusal,
  ruleRefusalOf,
} from '#domain/rule/create-rule.ts';
import { type DryRun, dryRun } from '#domain/rule/dry-run.ts';
import type { Route } from './+types/new-rule.ts';
import { type ConditionField, conditionStart, refusedFields } from './conditions/condition-parts.ts';
import type { loader as loadDryRun } from './dry-run.ts';
import { DryRunSheet, DryRunWords, useDryRunTitle } from './dry-run.tsx';
import { draftOf, RuleFormSchema, ruleFormShape } from './rule-form.server.ts';
import { PreviewSheet, previewOf, RuleFields, type RulePreview } from './rule-form.tsx';
import { rulePlacesOf } from './rule-places.server.ts';

const defaults = {
  name: '',
  type: 'one',
  channel: '',
  ...conditionStart,
  watch: 'on',
  claimTimeoutHours: String(DEFAULT_CLAIM_TIMEOUT_HOURS),
};

export async function loader({ request, context }: Route.LoaderArgs) {
  const account = await requireVerifiedAccount(context);
  const { places, lacks } = await rulePlacesOf(account);
  const query = new URL(request.url).searchParams;
  // Returning from the review restores what was entered.
  const entered = Object.keys(defaults).map((name) => [name, (query.get(name) ?? '').slice(0, 100)]);
  return {
    start: query.has('name') ? (Object.fromEntries(entered) as typeof defaults) : defaults,
    lacks: lacks && ruleRefusals[lacks].key,
    places,
    requestId: newId(await domainNow()),
    constraint: constraintOf(ruleFormShape),
  };
}

/** Refusals shown at a field; the others are shown above the form. */
const besides: Partial<Record<RuleRefusal, 'type' | ConditionField>> = {
  paidDraw: 'type',
  ...refusedFields,
};

/** Reviews the form first; with `confirmed` it opens the rule, whose id is the request's. */
export async function action({ request, context }: Route.ActionArgs) {
  const account = await requireVerifiedAccount(context);
  const { id: userId } = account;
  const form = await request.formData();
  const submission = parseWithZod(form, { schema: RuleFormSchema });
  if (submission.status !== 'success') return replyInvalid(submission);
  const { requestId } = submission.value;
  const nowMs = await domainNow();
  if (!isRequestId(requestId, nowMs)) return replyRefused(submission, malformed);
  const draft = draftOf(submission.value);
  const channelId = submission.value.channel || null;
  const asked = { userId, channelId, draft, paidDrawsAllowed: config().paidDrawsAllowed };
  const db = await database();
  if (!form.has('confirmed')) {
    const refused = await ruleRefusalOf(db.read, asked, nowMs);
    if (refused) return replyRefused(submission, ruleRefusals[refused], besides[refused]);
    const { places } = await rulePlacesOf(account);
    const other = places.others.find(({ id }) => id === channelId);
    const channelName = other?.displayName ?? places.ownChannel;
    const fields = Object.fromEntries([...form].map(([name, value]) => [name, String(value)]));
    const tried = await dryRun(db, asked, nowMs);
    const found = tried.ok ? tried.found : null;
    const review = { draft, found, channelName, fields: { ...fields, confirmed: '1' } };
    return { result: submission.reply(), review };
  }
  const outcome = await createRule(db, { requestId, ...asked }, nowMs);
  if (!outcome.ok) return replyRefused(submission, ruleRefusals[outcome.code], besides[outcome.code]);
  return redirectWithToast(`/rules/${outcome.ruleId}`, { type: 'success', title: 'messages.ruleCreated' });
}

type Review = {
  draft: RulePreview & { name: string };
  found: DryRun | null;
  channelName: string;
  fields: Record<string, string>;
};

function useQuestion(review: Review | undefined): Question | null {
  const { t } = useTranslation();
  const span = useSpanText();
  const dryRunTitle = useDryRunTitle();
  if (!review) return null;
  const { draft, found, channelName, fields } = review;
  return {
    title: t('rules.create.question', { name: draft.name }),
    text: t('rules.create.text', {
      channel: channelName,
      span: span(draft.claimTimeoutHours * 3600),
    }),
    children: (
      <>
        <div className="lined">
          <ConditionList rule={draft} />
          <TypeLine type={draft.type} />
        </div>
        <Callout type="warning">
          <p>{t('rules.create.empty')}</p>
        </Callout>
        {found && (
          <div className="stack stack-2 s13">
            <h3>{dryRunTitle(found)}</h3>
            <DryRunWords found={found} />
          </div>
        )}
      </>
    ),
    act: t('rules.create.act'),
    keep: t('rules.create.keep'),
    fields,
  };
}

/** How long to wait after the last change. */
const PAUSE_MS = 600;

/** Tries the form as it is being filled in, a moment after each change; the review says the same without JavaScript. */
function useDryRun(): { found: DryRun | null; tryForm: (form: FormData) => void } {
  const fetcher = useFetcher<typeof loadDryRun>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const tryForm = (form: FormData) => {
    clearTimeout(timer.current);
    const query = new URLSearchParams([...form].map(([name, value]) => [name, String(value)]));
    // The name of the rule does not affect the result.
    query.set('name', '-');
    timer.current = setTimeout(() => {
      // A later change, or leaving the page, aborts the request.
      fetcher.load(`/rules/dry-run?${query}`).catch(() => {});
    }, PAUSE_MS);
  };
  return { found: fetcher.data?.found ?? null, tryForm };
}

function previewOfValues(values: Record<string, unknown>): RulePreview {
  const form = new FormData();
  for (const [name, value] of Object.entries(values))
    if (typeof value === 'string' && value !== '') form.set(name, value);
  return previewOf(form);
}

function RuleForm({ loaderData, actionData }: Pick<Route.ComponentProps, 'loaderData' | 'actionData'>) {
  const { t } = useTranslation();
  const [preview, setPreview] = useState(() =>
    previewOfValues(actionData?.result?.initialValue ?? loaderData.start),
  );
  const { found, tryForm } = useDryRun();
  const follow = (entered: FormData) => {
    setPreview(previewOf(entered));
    tryForm(entered);
  };
  const [form, fields] = useForm({
    id: 'rule',
    constraint: loaderData.constraint,
    lastResult: actionData?.result,
    defaultValue: loaderData.start,
  });
  return (
    <Form
      className="with-aside"
      method="post"
      {...form.props}
      onChange={(event) => follow(new FormData(event.currentTarget))}
    >
      <div>
        <FormErrors id={form.errorId} errors={form.errors} />
        <input type="hidden" name="requestId" value={loaderData.requestId} />
        <RuleFields fields={fields} places={loaderData.places} preview={preview} />
      </div>
      <aside className="aside stack">
        <PreviewSheet preview={preview} />
        {found && <DryRunSheet found={found} />}
        <div className="line">
          <SubmitButton size="large">{t('rules.form.review')}</SubmitButton>
          <ButtonLink kind="quiet" size="large" to="/rules">
            {t('common.cancel')}
          </ButtonLink>
        </div>
      </aside>
    </Form>
  );
}

export default function NewRule({ loaderData, actionData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const hydrated = useHydrated();
  const review = actionData && 'review' in actionData ? actionData.review : undefined;
  const question = useQuestion(review);
  const above = [{ to: '/rules', label: t('rules.title') }];
  if (question && review && !hydrated) {
    const back = `/rules/new?${new URLSearchParams(review.fields)}`;
    return <ConfirmPage {...question} back={back} above={above} action="/rules/new" />;
  }
  return (
    <>
      <PageHead title={t('rules.new')} lede={t('rules.form.lede')} above={above} />
      {loaderData.lacks && (
        <Callout type="warning">
          <p>
            <ErrorText error={loaderData.lacks} /> <Link to="/profile">{t('items.inventory.connect')}</Link>
          </p>
        </Callout>
      )}
      <RuleForm loaderData={loaderData} actionData={actionData} />
      {question && review && <OpenDialog to={review} {...question} page="/rules/new" />}
    </>
  );
}
