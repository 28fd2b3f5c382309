import { data, redirect } from 'react-router';
import { ConfirmPage } from '#app/components/feedback/confirm.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { requireConfirmed, requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { confirmedContext } from '#app/middleware/session.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { closeRule } from '#domain/rule/close-rule.ts';
import { closesAllRules } from '#domain/rule/closes-all-rules.ts';
import { countRuleViewers } from '#domain/rule/list-rule-viewers.ts';
import { getRule } from '#domain/rule/list-rules.ts';
import type { Route } from './+types/delete-rule.ts';
import { DeletionEffects } from './deletion-effects.tsx';

const pageOf = (ruleId: string): string => `/rules/${ruleId}/delete`;

export async function loader({ params, context }: Route.LoaderArgs) {
  const { id: ownerId } = await requireVerifiedAccount(context);
  const db = await database();
  const rule = await getRule(db, { ruleId: params.id, ownerId });
  if (!rule) throw data(null, { status: 404 });
  if (rule.state === 'closed') throw redirect(`/rules/${rule.id}`);
  const nowMs = await domainNow();
  if (await closesAllRules(db.read, { ruleId: rule.id, userId: ownerId }, nowMs))
    requireConfirmed(context, pageOf(rule.id));
  const { id, name, pool, waiting } = rule;
  return { rule: { id, name, pool, waiting }, inProgress: await countRuleViewers(db.read, rule) };
}

/** Deletes a rule by closing it. Closing twice returns the same result. Closing all asks who does. */
export async function action({ params, context }: Route.ActionArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const closing = { ruleId: params.id, userId, unconfirmed: !context.get(confirmedContext) };
  const outcome = await closeRule(await database(), closing, await domainNow());
  if (!outcome.ok && outcome.code === 'identityUnconfirmed') requireConfirmed(context, pageOf(params.id));
  if (!outcome.ok) throw data(null, { status: 404 });
  return redirectWithToast('/rules', { type: 'success', title: 'messages.ruleDeleted' });
}

export default function DeleteRule({ loaderData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const { rule, inProgress } = loaderData;
  return (
    <ConfirmPage
      title={t('rules.delete.question', { name: rule.name })}
      text={t('rules.delete.text', { free: t('common.items', { count: rule.pool.free }) })}
      act={t('rules.delete.act')}
      keep={t('rules.delete.keep')}
      back={`/rules/${rule.id}`}
      above={[
        { to: '/rules', label: t('rules.title') },
        { to: `/rules/${rule.id}`, label: rule.name },
      ]}
      destructive
    >
      <DeletionEffects rule={rule} inProgress={inProgress} />
    </ConfirmPage>
  );
}
