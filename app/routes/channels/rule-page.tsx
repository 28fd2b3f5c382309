import { data, redirect } from 'react-router';
import { Code } from '#app/components/feedback/code.tsx';
import { Corrections, proofOf } from '#app/components/rules/corrections.tsx';
import { Link } from '#app/components/shell/link.tsx';
import type { PageHandle } from '#app/components/shell/page-handle.ts';
import { SectionHead } from '#app/components/shell/page-head.tsx';
import { PageTitle } from '#app/components/shell/page-title.tsx';
import { PublicShell } from '#app/components/shell/public-shell.tsx';
import { Avatar } from '#app/components/shell/shell.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { config } from '#app/config.server.ts';
import { userSummaryContext } from '#app/middleware/contexts.server.ts';
import { ownStandings } from '#app/services/channels/own-standings.server.ts';
import { readRulePage } from '#app/services/channels/rule-page.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { asksFor } from '#domain/condition/condition.ts';
import { watchTime } from '#domain/condition/watch-time.ts';
import { isId } from '#domain/kernel/id.ts';
import { findSuccessor } from '#domain/rule/find-successor.ts';
import { listCorrections } from '#domain/rule/list-corrections.ts';
import type { Route } from './+types/rule-page.ts';
import { HostActions, LiveState, liveSecondsOf } from './host.tsx';
import { Offer } from './offer.tsx';

export const handle: PageHandle = { plain: true };

/**
 * A link to a rule outlives the rule: one whose place another took leads there, and any other that is paused or deleted
 * to its channel.
 */
export async function loader({ params: { login, ruleId }, context }: Route.LoaderArgs) {
  if (!isId(ruleId)) throw data(null, { status: 404 });
  const nowMs = await domainNow();
  const found = await readRulePage(await database(), { login, ruleId }, nowMs);
  if (!found) throw data(null, { status: 404 });
  const { channel, rule } = found;
  const above = `/channels/${channel.login}`;
  if (!rule) {
    const next = await findSuccessor((await database()).read, { ruleId, channelId: channel.id });
    throw redirect(next === null ? above : `${above}/${next}`);
  }
  return {
    found: { channel, rule },
    own: await ownStandings(context, [rule.id], nowMs),
    corrections: await listCorrections(await database(), rule.id),
    liveSeconds: liveSecondsOf(channel, nowMs),
    isMember: context.get(userSummaryContext)?.verified ?? false,
    above,
    atOnce: asksFor(rule, watchTime) ? config().watchedAtOnce : null,
    address: new URL(`${above}/${rule.id}`, config().publicUrl).href.replace(/^https?:\/\//, ''),
  };
}

export default function RulePage({ loaderData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const { found, own, corrections, liveSeconds, isMember, above, atOnce, address } = loaderData;
  const { channel, rule } = found;
  return (
    <PublicShell>
      <PageTitle>{t('channelPage.ruleTitle', { rule: rule.name, channel: channel.displayName })}</PageTitle>
      <div className="wrap host-page">
        <div className="host">
          <div className="host__who">
            <Avatar name={channel.displayName} url={channel.pictureUrl || null} size="huge" />
            <div>
              <LiveState channel={channel} liveSeconds={liveSeconds} />
              <h1>{rule.name}</h1>
              <p className="muted">
                <Link to={above}>{t('channelPage.title', { channel: channel.displayName })}</Link>
              </p>
            </div>
          </div>
          <HostActions login={channel.login} isMember={isMember} />
        </div>
        <div className="with-aside">
          <section>
            <SectionHead title={t('channelPage.offers', { count: rule.pool.free })} />
            <Offer rule={rule} own={own[rule.id]} />
            {atOnce !== null && (
              <p className="s13 muted mt-6">
                {t('channelPage.inChat')} {t('rules.atOnce', { count: atOnce })}
              </p>
            )}
            <Corrections corrections={corrections} pageOf={proofOf} />
          </section>
          <aside className="aside">
            <SectionHead title={t('channelPage.share')} />
            <Code>{address}</Code>
          </aside>
        </div>
      </div>
    </PublicShell>
  );
}
