import { data, redirect } from 'react-router';
import { AffectedList, ConfirmPage } from '#app/components/feedback/confirm.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { closeRule } from '#domain/rule/close-rule.ts';
import { getRule } from '#domain/rule/list-rules.ts';
import type { Route } from './+types/close-rule.ts';

export async function loader({ params, context }: Route.LoaderArgs) {
  const { id: ownerId } = await requireVerifiedAccount(context);
  const rule = await getRule(await database(), { ruleId: params.id, ownerId });
  if (!rule) throw data(null, { status: 404 });
  if (rule.state === 'closed') throw redirect(`/rules/${rule.id}`);
  return { rule: { id: rule.id, name: rule.name, pool: rule.pool, waiting: rule.waiting } };
}

/** Deletes a rule by closing it. Closing twice answers the same. */
export async function action({ params, context }: Route.ActionArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const outcome = await closeRule(await database(), { ruleId: params.id, userId }, await domainNow());
  if (!outcome.ok) throw data(null, { status: 404 });
  return redirectWithToast('/rules', { type: 'success', title: 'messages.ruleDeleted' });
}

export default function CloseRule({ loaderData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const { rule } = loaderData;
  const { free, promised, reserved } = rule.pool;
  return (
    <ConfirmPage
      title={t('rules.close.question', { name: rule.name })}
      text={t('rules.close.text', { free: t('common.items', { count: free }) })}
      act={t('rules.close.act')}
      keep={t('rules.close.keep')}
      back={`/rules/${rule.id}`}
      above={[
        { to: '/rules', label: t('rules.title') },
        { to: `/rules/${rule.id}`, label: rule.name },
      ]}
      destructive
    >
      <AffectedList
        rows={[
          { label: t('rules.close.freed'), value: free },
          { label: t('rules.close.stand'), value: promised + reserved },
          { label: t('rules.close.waiting'), value: rule.waiting },
        ]}
      />
    </ConfirmPage>
  );
}
