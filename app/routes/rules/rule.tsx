import { data, redirect } from 'react-router';
import { Callout } from '#app/components/feedback/callout.tsx';
import { ConfirmDialog } from '#app/components/feedback/confirm.tsx';
import { ButtonLink } from '#app/components/forms/button.tsx';
import { Icon } from '#app/components/icons/icon.tsx';
import { Lock, Plus } from '#app/components/icons/signs.ts';
import { EmptyState } from '#app/components/lists/list-states.tsx';
import { useLiveUpdates } from '#app/components/lists/live-updates.tsx';
import { Corrections } from '#app/components/rules/corrections.tsx';
import { Legend, Pool, splitReserved } from '#app/components/rules/pool.tsx';
import { ConditionList, RuleBadge } from '#app/components/rules/rule-words.tsx';
import { SealedSeed } from '#app/components/rules/sealed-seed.tsx';
import { PageHead, SectionHead } from '#app/components/shell/page-head.tsx';
import { useSpanText } from '#app/components/text/amounts.tsx';
import { useTimeText } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { config } from '#app/config.server.ts';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import type { Database } from '#db/database.ts';
import { asksFor } from '#domain/condition/condition.ts';
import { watchTime } from '#domain/condition/watch-time.ts';
import { listChances } from '#domain/draw/list-chances.ts';
import { findRaffleOfRule } from '#domain/raffle/find-raffle-of-rule.ts';
import { listCorrections } from '#domain/rule/list-corrections.ts';
import { listRulePromises, listRuleRewards } from '#domain/rule/list-rule-rewards.ts';
import { listRuleViewers } from '#domain/rule/list-rule-viewers.ts';
import { getRule } from '#domain/rule/list-rules.ts';
import { getRuleProof } from '#domain/view/get-proof.ts';
import { listWaiting } from '#domain/view/list-waiting.ts';
import type { Route } from './+types/rule.ts';
import { conditionParts } from './conditions/condition-parts.ts';
import { DeletionEffects } from './deletion-effects.tsx';
import { PauseButton, Paused } from './paused-rule.tsx';
import { FoldedKinds } from './reward-kinds.tsx';
import { MoreRows, RulePromises } from './rule-lists.tsx';
import { RuleViewers } from './rule-viewers.tsx';
import { WaitingViewers } from './waiting-viewers.tsx';

/** The page of the raffle whose items a rule holds; an answer that there is nothing if it is no such rule. */
async function raffleOrNothing({ read }: Database, asked: { ruleId: string; ownerId: string }) {
  const raffle = await findRaffleOfRule(read, asked);
  if (!raffle) return data(null, { status: 404 });
  return redirect(raffle.isPublic ? `/raffle/${raffle.id}` : '/raffles');
}

export async function loader({ request, params, context }: Route.LoaderArgs) {
  const { id: ownerId } = await requireVerifiedAccount(context);
  const [db, nowMs, ruleId] = [await database(), await domainNow(), params.id];
  const rule = await getRule(db, { ruleId, ownerId });
  if (!rule) throw await raffleOrNothing(db, { ruleId, ownerId });
  const query = new URL(request.url).searchParams;
  const [kinds, viewers, waiting, promises, proof, chances, corrections] = await Promise.all([
    listRuleRewards(db, rule),
    listRuleViewers(db, rule, { after: query.get('viewers'), size: 10 }, nowMs),
    listWaiting(db, rule, { after: query.get('waiting'), size: 10 }),
    listRulePromises(db, rule, { after: query.get('promises'), size: 10 }),
    getRuleProof(db, ruleId),
    listChances(db, [ruleId], nowMs),
    listCorrections(db, ruleId),
  ]);
  return {
    ...{ rule, kinds, viewers, waiting, promises, proof, corrections },
    atOnce: asksFor(rule, watchTime) ? config().watchedAtOnce : null,
    chances: proof && (chances.get(ruleId) ?? []),
    search: (query.get('kind') ?? '').trim().slice(0, 100),
  };
}

type Data = Route.ComponentProps['loaderData'];

function Actions({ rule, viewers }: Pick<Data, 'rule' | 'viewers'>) {
  const { t } = useTranslation();
  if (rule.state === 'closed') return null;
  return (
    <>
      <ButtonLink kind="primary" icon={Plus} to={`/rules/${rule.id}/rewards/add`}>
        {t('rules.add.act')}
      </ButtonLink>
      {rule.pool.free > 0 && (
        <ButtonLink to={`/rules/${rule.id}/rewards/remove`}>{t('rules.remove.act')}</ButtonLink>
      )}
      {rule.type === 'random' && (
        <ButtonLink to={`/rules/${rule.id}/weights`}>{t('proof.weights.act')}</ButtonLink>
      )}
      {rule.state === 'open' && (
        <ButtonLink to={`/rules/${rule.id}/announce`}>{t('announce.act')}</ButtonLink>
      )}
      <PauseButton rule={rule} />
      {rule.pauseReason !== 'opening' && (
        <ButtonLink to={`/rules/${rule.id}/correct`}>{t('correct.act')}</ButtonLink>
      )}
      <ConfirmDialog
        page={`/rules/${rule.id}/delete`}
        opener={t('rules.delete.act')}
        openerClass="btn btn--danger"
        title={t('rules.delete.question', { name: rule.name })}
        text={t('rules.delete.text', { free: t('common.items', { count: rule.pool.free }) })}
        act={t('rules.delete.act')}
        keep={t('rules.delete.keep')}
        destructive
      >
        <DeletionEffects rule={rule} inProgress={viewers.total} />
      </ConfirmDialog>
    </>
  );
}

function Rewards({ rule, kinds, chances, search }: Pick<Data, 'rule' | 'kinds' | 'chances' | 'search'>) {
  const { t } = useTranslation();
  const { recalled: _, ...pool } = splitReserved(rule.pool, rule.preparing);
  const closed = rule.state === 'closed';
  const [empty = 'rules.noRewards'] = conditionParts.flatMap(([, { column, noRewards }]) =>
    noRewards && rule[column] !== null ? [noRewards] : [],
  );
  return (
    <section>
      <SectionHead title={t('rules.rewards')} aside={<RuleBadge rule={rule} />} />
      {rule.waiting > 0 && (
        <div className="mb-4">
          <Callout type="info">
            <p>{t(closed ? 'rules.waitedText' : 'rules.waitingText', { count: rule.waiting })}</p>
          </Callout>
        </div>
      )}
      {kinds.length === 0 ? (
        <EmptyState
          title={t(closed ? 'rules.noRewardsClosedTitle' : 'rules.noRewardsTitle')}
          action={
            !closed && <ButtonLink to={`/rules/${rule.id}/rewards/add`}>{t('rules.add.act')}</ButtonLink>
          }
        >
          {t(closed ? 'rules.noRewardsClosed' : empty)}
        </EmptyState>
      ) : (
        <div className="sheet">
          <div className="sheet__pad stack">
            {Object.values(pool).some((count) => count > 0) && <Pool counts={pool} />}
            <Legend counts={pool} filters={() => ({ rule: rule.id })} />
          </div>
          <FoldedKinds kinds={kinds} search={search} chances={closed ? undefined : (chances ?? undefined)} />
        </div>
      )}
    </section>
  );
}

function Viewers({ viewers, rule }: Pick<Data, 'viewers' | 'rule'>) {
  const { t } = useTranslation();
  const { promised, reserved, claimed, recalled } = rule.pool;
  const begun = rule.waiting + promised + reserved + claimed + recalled > 0;
  return (
    <section>
      <SectionHead
        title={t('rules.inProgress')}
        aside={
          viewers.total ? (
            <span className="s13 muted">{t('rules.inProgressCount', { count: viewers.total })}</span>
          ) : undefined
        }
      />
      {viewers.rows.length === 0 ? (
        <EmptyState title={t(begun ? 'rules.noMoreViewersTitle' : 'rules.noViewersTitle')}>
          {t('rules.noViewers')}
        </EmptyState>
      ) : (
        <div className="sheet">
          <RuleViewers viewers={viewers.rows} />
          <MoreRows parameter="viewers" next={viewers.next} />
        </div>
      )}
    </section>
  );
}

export default function Rule({ loaderData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const span = useSpanText();
  const time = useTimeText();
  useLiveUpdates('/events');
  const { rule, atOnce, kinds, viewers, waiting, promises, proof, chances, corrections, search } = loaderData;
  const lede = t(rule.closedAtMs === null ? 'rules.ledeOpen' : 'rules.ledeClosed', {
    channel: rule.channelName,
    date: time(rule.closedAtMs ?? rule.createdAtMs, 'date'),
    type: t(`rules.type.${rule.type}`),
    span: span(rule.claimTimeoutHours * 3600),
  });
  const delay = rule.sendDelayHours > 0 && t('rules.ledeDelay', { span: span(rule.sendDelayHours * 3600) });
  return (
    <>
      <PageHead
        title={rule.name}
        lede={delay ? `${lede} ${delay}` : lede}
        above={[{ to: '/rules', label: t('rules.title') }]}
        actions={<Actions rule={rule} viewers={viewers} />}
      />
      <div className="with-aside">
        <div className="stack stack-12">
          <Paused rule={rule} />
          <Rewards rule={rule} kinds={kinds} chances={chances} search={search} />
          {waiting.rows.length > 0 && <WaitingViewers waiting={waiting} total={rule.waiting} />}
          {rule.state !== 'closed' && <Viewers viewers={viewers} rule={rule} />}
          {promises.rows.length > 0 && (
            <section>
              <SectionHead title={t('rules.promises')} />
              <div className="sheet">
                <RulePromises ruleId={rule.id} promises={promises.rows} />
                <MoreRows parameter="promises" next={promises.next} />
              </div>
            </section>
          )}
        </div>
        <aside className="aside stack stack-8">
          <section>
            <SectionHead title={t('rules.conditions')} />
            <div className="sheet rows">
              <div className="sheet__pad stack stack-3">
                <ConditionList rule={rule} />
                {atOnce !== null && <p className="s13 muted">{t('rules.atOnce', { count: atOnce })}</p>}
              </div>
              {rule.state !== 'closed' && (
                <div className="sheet__foot">
                  <Icon of={Lock} size="small" />
                  <span className="grow">{t('rules.fixed')}</span>
                </div>
              )}
            </div>
          </section>
          {conditionParts.map(([key, { Aside }]) => Aside && <Aside key={key} rule={rule} />)}
          <Corrections corrections={corrections} pageOf={({ id }) => `/rules/${id}`} />
          {proof && <SealedSeed proof={proof} />}
        </aside>
      </div>
    </>
  );
}
