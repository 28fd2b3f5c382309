import { data } from 'react-router';
import { Callout } from '#app/components/feedback/callout.tsx';
import { pictureOf } from '#app/components/items/item-facts.ts';
import { ItemLine } from '#app/components/items/item-line.tsx';
import { SealedSeed } from '#app/components/rules/sealed-seed.tsx';
import { OpenShell } from '#app/components/shell/open-shell.tsx';
import { PageHead, SectionHead } from '#app/components/shell/page-head.tsx';
import { useChanceText } from '#app/components/text/amounts.tsx';
import { LocalTime } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { config } from '#app/config.server.ts';
import { database } from '#app/services/database.server.ts';
import { getDrawProof } from '#domain/view/get-proof.ts';
import type { Route } from './+types/draw-proof.ts';
import { CandidateTable, Fingerprint } from './draws.tsx';
import { HowToVerify } from './how-to-verify.tsx';

export async function loader({ params: { ruleId, number } }: Route.LoaderArgs) {
  const wanted = /^[1-9]\d{0,8}$/.test(number) ? Number(number) : null;
  const proof = wanted === null ? null : await getDrawProof(await database(), { ruleId, number: wanted });
  if (!proof) throw data(null, { status: 404 });
  return { ...proof, site: config().publicUrl.origin };
}

type Data = Route.ComponentProps['loaderData'];

function Result({ rule, draw }: Pick<Data, 'rule' | 'draw'>) {
  const { t } = useTranslation();
  const chance = useChanceText();
  return (
    <div className="sheet rows">
      <div className="sheet__pad stack">
        <ItemLine {...pictureOf(draw.item)} name={draw.item.name} meta={t('proof.drawn')} />
        <dl className="kv kv--start">
          <dt>{t('proof.twitchId')}</dt>
          <dd>
            <code>{draw.twitchId}</code>
          </dd>
          <dt>{t('proof.when')}</dt>
          <dd>
            <LocalTime ms={draw.drawnAtMs} style="seconds" /> · <LocalTime ms={draw.drawnAtMs} style="date" />
          </dd>
          <dt>{t('proof.chance')}</dt>
          <dd>{chance(draw.chance)}</dd>
          <dt>{t('proof.input')}</dt>
          <dd>
            <code>
              {rule.ruleId}:{draw.number}:{draw.twitchId}
            </code>
          </dd>
        </dl>
      </div>
    </div>
  );
}

export default function DrawProofPage({ loaderData: { rule, draw, site } }: Route.ComponentProps) {
  const { t } = useTranslation();
  const agrees = rule.seed === null ? 'proof.agreesText' : 'proof.agreesKnownText';
  return (
    <OpenShell>
      <PageHead
        title={t('proof.draw', { number: draw.number })}
        lede={t('proof.lede', { channel: rule.channelName })}
        above={[{ to: `/proof/${rule.ruleId}`, label: t('proof.title', { rule: rule.ruleName }) }]}
      />
      <div className="with-aside">
        <div className="stack stack-8">
          <Callout type={draw.agrees ? 'success' : 'danger'}>
            <p>{t(draw.agrees ? agrees : 'proof.disagreesText')}</p>
          </Callout>
          {draw.stopped !== null && (
            <Callout type="warning">
              <p>{t(`rewards.stoppedBy.${draw.stopped}`)}</p>
            </Callout>
          )}
          <Result rule={rule} draw={draw} />
          <section className="stack stack-3">
            <SectionHead title={t('proof.candidates')} />
            <p className="s13 muted">{t('proof.candidatesText')}</p>
            <div className="sheet">
              <CandidateTable draw={draw} />
            </div>
          </section>
          <Fingerprint draw={draw} />
        </div>
        <aside className="aside stack stack-8">
          <SealedSeed proof={rule} />
          <HowToVerify ruleId={rule.ruleId} site={site} />
        </aside>
      </div>
    </OpenShell>
  );
}
