import { data, redirect } from 'react-router';
import { ConfirmPage } from '#app/components/feedback/confirm.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { nudgeBot } from '#app/services/bot-client.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { pauseRefusals } from '#app/services/forms/correction-refusals.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { findRuleOf } from '#domain/rule/find-rule.ts';
import { pauseRule, SHORT_PAUSE_MS } from '#domain/rule/pause-rule.ts';
import type { Route } from './+types/pause-rule.ts';
import { PauseChoice } from './pause-choice.tsx';

export async function loader({ params, context }: Route.LoaderArgs) {
  const { id: ownerId } = await requireVerifiedAccount(context);
  const rule = await findRuleOf((await database()).read, params.id, ownerId);
  if (!rule) throw data(null, { status: 404 });
  if (rule.state === 'closed') throw redirect(`/rules/${rule.id}`);
  return { rule: { id: rule.id, name: rule.name } };
}

/** Pauses a rule for a short while or until it is resumed. Pausing twice sets the end anew. */
export async function action({ request, params, context }: Route.ActionArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const nowMs = await domainNow();
  const isLong = (await request.formData()).get('how') === 'long';
  const resumesAtMs = isLong ? null : nowMs + SHORT_PAUSE_MS;
  const outcome = await pauseRule(await database(), { ruleId: params.id, userId, resumesAtMs }, nowMs);
  const page = `/rules/${params.id}`;
  if (!outcome.ok) {
    if (outcome.code === 'notFound') throw data(null, { status: 404 });
    return redirectWithToast(page, { type: 'danger', title: pauseRefusals[outcome.code].key });
  }
  nudgeBot();
  return redirectWithToast(page, { type: 'success', title: 'pause.done' });
}

export default function PauseRule({ loaderData: { rule } }: Route.ComponentProps) {
  const { t } = useTranslation();
  return (
    <ConfirmPage
      title={t('pause.question', { name: rule.name })}
      text={t('pause.text')}
      act={t('pause.confirm')}
      keep={t('pause.keep')}
      back={`/rules/${rule.id}`}
      above={[
        { to: '/rules', label: t('rules.title') },
        { to: `/rules/${rule.id}`, label: rule.name },
      ]}
    >
      <PauseChoice />
    </ConfirmPage>
  );
}
