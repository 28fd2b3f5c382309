import { data } from 'react-router';
import { Dices } from '#app/components/icons/signs.ts';
import { EmptyState, Pagination } from '#app/components/lists/list-states.tsx';
import { Corrections, proofOf } from '#app/components/rules/corrections.tsx';
import { SealedSeed } from '#app/components/rules/sealed-seed.tsx';
import { OpenShell } from '#app/components/shell/open-shell.tsx';
import { PageHead, SectionHead } from '#app/components/shell/page-head.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { config } from '#app/config.server.ts';
import { database } from '#app/services/database.server.ts';
import { listLatestPoolChanges } from '#domain/draw/pool-changes.ts';
import { listCorrections } from '#domain/rule/list-corrections.ts';
import { getRuleProof, listDraws } from '#domain/view/get-proof.ts';
import type { Route } from './+types/rule-proof.ts';
import { DrawTable, LatestFingerprint } from './draws.tsx';
import { HowToVerify } from './how-to-verify.tsx';
import { PoolChanges } from './pool-changes.tsx';

/** Public: a proof is worth something only if anyone can read it. */
export async function loader({ request, params: { ruleId } }: Route.LoaderArgs) {
  const db = await database();
  const proof = await getRuleProof(db, ruleId);
  if (!proof) throw data(null, { status: 404 });
  const draws = await listDraws(db, { ruleId, after: new URL(request.url).searchParams.get('after') });
  const changes = proof.changes > 0 ? await listLatestPoolChanges(db.read, ruleId) : [];
  const corrections = await listCorrections(db, ruleId);
  return { proof, draws, changes, corrections, site: config().publicUrl.origin };
}

export default function RuleProofPage({
  loaderData: { proof, draws, changes, corrections, site },
}: Route.ComponentProps) {
  const { t } = useTranslation();
  const amount = proof.state === 'closed' ? 'proof.inAll' : 'proof.soFar';
  const stopped = Object.values(proof.stopped).reduce((sum, claims) => sum + claims, 0);
  return (
    <OpenShell>
      <PageHead
        title={t('proof.title', { rule: proof.ruleName })}
        lede={t('proof.lede', { channel: proof.channelName })}
      />
      <div className="with-aside">
        <section>
          <SectionHead
            title={t('proof.draws')}
            aside={<span className="s13 muted">{t(amount, { count: proof.draws })}</span>}
          />
          {stopped > 0 && <p className="s13 muted mb-4">{t('proof.stoppedOf', { count: stopped })}</p>}
          {draws.rows.length === 0 ? (
            <EmptyState title={t('proof.noneTitle')} icon={Dices}>
              {t('proof.none')}
            </EmptyState>
          ) : (
            <div className="sheet">
              <DrawTable ruleId={proof.ruleId} draws={draws.rows} />
            </div>
          )}
          <Pagination next={draws.next} />
          {changes.length > 0 && <PoolChanges changes={changes} total={proof.changes} />}
          <Corrections corrections={corrections} pageOf={proofOf} draws />
        </section>
        <aside className="aside stack stack-8">
          <SealedSeed proof={proof} here />
          {proof.head && <LatestFingerprint head={proof.head} />}
          <HowToVerify ruleId={proof.ruleId} site={site} />
        </aside>
      </div>
    </OpenShell>
  );
}
