import type { SubmissionResult } from '@conform-to/dom';
import { useEffect, useRef, useState } from 'react';
import { Form, useFetcher } from 'react-router';
import { Button, ButtonLink, SubmitButton } from '#app/components/forms/button.tsx';
import { FormErrors } from '#app/components/forms/field.tsx';
import { useForm } from '#app/components/forms/form.ts';
import { DefaultSubmit } from '#app/components/forms/stepper.tsx';
import { Icon } from '#app/components/icons/icon.tsx';
import { CircleAlert } from '#app/components/icons/signs.ts';
import type { PickerEntries } from '#app/components/rules/picker-entries.ts';
import { Link } from '#app/components/shell/link.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { DryRun } from '#domain/view/dry-run.ts';
import type { Route } from './+types/new-rule.ts';
import type { loader as loadDryRun } from './dry-run.ts';
import { DryRunSheet } from './dry-run.tsx';
import { KindPicker, type WeightBounds } from './kind-picker.tsx';
import { CONFLICT_ID, hasConflict, previewOf, RuleFields, type RulePreview } from './rule-form.tsx';
import { type Picker, usePicker } from './use-picker.ts';

/** Wait this long after the last change. */
const PAUSE_MS = 600;

/** Fields that do not affect who meets the rule. */
const besidesDryRun = /^(requestId|search|order|all|item|unseen)$|^(item|weight):/;

/** Tries the form as it is being filled in, a moment after each change; the review says the same without JavaScript. */
function useDryRun(): { found: DryRun | null; tryForm: (form: FormData) => void } {
  const fetcher = useFetcher<typeof loadDryRun>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const last = useRef('');
  useEffect(() => () => clearTimeout(timer.current), []);
  const tryForm = (form: FormData) => {
    const asked = [...form].filter(([name]) => !besidesDryRun.test(name));
    const query = new URLSearchParams(asked.map(([name, value]) => [name, String(value)]));
    // The name of the rule does not affect the result either, but the form needs one.
    query.set('name', '-');
    if (String(query) === last.current) return;
    last.current = String(query);
    clearTimeout(timer.current);
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

type RewardsProps = { picker: Picker; none: boolean; each: boolean; weights: WeightBounds | null };

function Rewards({ picker, none, each, weights }: RewardsProps) {
  const { t } = useTranslation();
  return (
    <fieldset className="form-part">
      <legend className="vh">{t('rules.rewards')}</legend>
      <div>
        <div className="form-part__name" aria-hidden="true">
          {t('rules.rewards')}
        </div>
        <p className="s13 muted">{t('rules.form.rewardsText')}</p>
        {!none && (
          // The form comes back as it was filled in, with the other way to pick.
          <Button
            kind="quiet"
            size="small"
            name="narrow"
            value="1"
            formNoValidate
            formAction={`/rules/new${each ? '' : '?each=1'}`}
          >
            {t(each ? 'rules.add.ofKinds' : 'rules.add.ofPieces')}
          </Button>
        )}
      </div>
      {none ? (
        <p className="sheet sheet__pad muted">
          {t('rules.form.noItems')} <Link to="/items">{t('items.custody.emptyAct')}</Link>
        </p>
      ) : (
        <KindPicker picker={picker} change="add" weights={weights} whole />
      )}
    </fieldset>
  );
}

/** Anything that prevents the rule, or would surprise its streamer. */
function Notice({ conflict, empty }: { conflict: boolean; empty: boolean }) {
  const { t } = useTranslation();
  if (!conflict && !empty) return null;
  return (
    <span className="s13 muted line line-tight" role="status">
      <Icon of={CircleAlert} size="small" />
      {conflict ? (
        <a href={`#${CONFLICT_ID}`}>{t('rules.form.conflict')}</a>
      ) : (
        <span>{t('rules.form.noRewards')}</span>
      )}
    </span>
  );
}

type Data = Route.ComponentProps['loaderData'];
type Props = Pick<
  Data,
  'start' | 'picker' | 'places' | 'kinds' | 'each' | 'weights' | 'requestId' | 'constraint'
> & {
  answer: { result: SubmissionResult<string[]>; picker?: PickerEntries } | undefined;
};

/** The form of a new rule: its conditions, its first rewards, and beside it the dry run. */
export function NewRuleForm({
  start,
  places,
  kinds,
  each,
  weights,
  requestId,
  constraint,
  answer,
  ...given
}: Props) {
  const { t } = useTranslation();
  const [preview, setPreview] = useState(() => previewOfValues(answer?.result.initialValue ?? start));
  const picker = usePicker(kinds, answer?.picker ?? given.picker);
  const { found, tryForm } = useDryRun();
  const follow = (entered: FormData) => {
    setPreview(previewOf(entered));
    tryForm(entered);
  };
  const [form, fields] = useForm({
    id: 'rule',
    constraint,
    lastResult: answer?.result,
    defaultValue: start,
  });
  return (
    <Form
      className="rule-form"
      method="post"
      {...form.props}
      onChange={(event) => follow(new FormData(event.currentTarget))}
    >
      <div>
        <DefaultSubmit />
        <FormErrors id={form.errorId} errors={form.errors} />
        <input type="hidden" name="requestId" value={requestId} />
        <RuleFields
          fields={fields}
          places={places}
          preview={preview}
          rewards={
            <Rewards
              picker={picker}
              none={kinds.length === 0}
              each={each}
              weights={preview.type === 'random' ? weights : null}
            />
          }
        />
      </div>
      <aside className="aside">
        <DryRunSheet found={found} rewards={picker.total} />
      </aside>
      <div className="save">
        <SubmitButton size="large">{t('rules.form.review')}</SubmitButton>
        <ButtonLink kind="quiet" size="large" to="/rules">
          {t('common.cancel')}
        </ButtonLink>
        <Notice conflict={hasConflict(preview, places)} empty={picker.total === 0} />
      </div>
    </Form>
  );
}
