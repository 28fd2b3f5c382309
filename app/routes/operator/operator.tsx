import { data } from 'react-router';
import { Callout } from '#app/components/feedback/callout.tsx';
import { ButtonLink } from '#app/components/forms/button.tsx';
import { RefreshCw } from '#app/components/icons/signs.ts';
import type { PageHandle } from '#app/components/shell/page-handle.ts';
import { PageHead, SectionHead } from '#app/components/shell/page-head.tsx';
import { LocalTime } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { requireOperator } from '#app/middleware/guards.server.ts';
import { type OperatorState, readOperatorState } from '#app/routes/operator/operator-state.server.ts';
import { isolated } from '#platform/isolated.ts';
import type { Route } from './+types/operator.ts';
import { BotTable } from './bot-table.tsx';
import { Channels } from './channels.tsx';
import { Custody } from './custody.tsx';
import { Backups, VersionSheet } from './installation.tsx';
import { OddAnswers } from './odd-answers.tsx';
import { DoubtfulSends, Queues } from './queues.tsx';
import { FaultTable } from './recent-faults.tsx';
import { SelfTests } from './self-tests.tsx';
import { WorkTable } from './work-table.tsx';
import './operator.css';

export const handle: PageHandle = { plain: true };

/** Interval at which the browser reads the page again, without JavaScript, on request. */
const LIVE_SECONDS = 20;

/** A header may be long. */
const MAX_FORWARDED_LENGTH = 300;

/** Access is checked again here, because a layout's guard and its page are separate modules. */
export async function loader({ request, context }: Route.LoaderArgs) {
  const { id } = requireOperator(context);
  const { stop, ...state } = await readOperatorState();
  const by = stop?.stoppedBy === id ? ('you' as const) : ('other' as const);
  const isLive = new URL(request.url).searchParams.has('live');
  // As it arrived, with what the visitor may have forged.
  const forwardedFor = request.headers.get('x-forwarded-for')?.slice(0, MAX_FORWARDED_LENGTH) ?? null;
  const read = { ...state, isLive, forwardedFor, stop: stop && { sinceMs: stop.stoppedAtMs, by } };
  return data(read, isLive ? { headers: { Refresh: `${LIVE_SECONDS}` } } : {});
}

/** Set only on request, because a page that reloads itself interrupts visitors who listen to it. */
export const headers = ({ loaderHeaders }: Route.HeadersArgs) => loaderHeaders;

type Stop = { sinceMs: number; by: 'you' | 'other' } | null;

/** The switch, with its effects. Turning it asks once more on a page of its own. */
function SendingSwitch({ stop }: { stop: Stop }) {
  const { t } = useTranslation();
  return (
    <section className={stop ? 'sheet op-stop op-stop--on' : 'sheet op-stop'} aria-labelledby="op-stop">
      <div className="op-stop__text">
        <h2 id="op-stop">{t(stop ? 'operator.stop.stopped' : 'operator.stop.title')}</h2>
        <p className="muted">{t('operator.stop.effects')}</p>
        {stop && (
          <p className="s13">
            {t(`operator.stop.since.${stop.by}`)} <LocalTime ms={stop.sinceMs} />
          </p>
        )}
      </div>
      {stop ? (
        <ButtonLink to="/operator/resume" kind="primary">
          {t('operator.resume.act')}
        </ButtonLink>
      ) : (
        <ButtonLink to="/operator/stop" kind="danger">
          {t('operator.stop.act')}
        </ButtonLink>
      )}
    </section>
  );
}

/** The matters for the operator, ordered by how likely they lose somebody an item. */
function Needs({
  needs,
  away,
  parts,
}: {
  needs: OperatorState['needs'];
  away: OperatorState['botAway'];
  parts: { name: string; detail: string }[];
}) {
  const { t } = useTranslation();
  if (needs.length === 0) return null;
  return (
    <Callout type="warning" title={t('operator.needs.title', { count: needs.length })}>
      <ul className="op-needs">
        {needs.map((need) => (
          <li key={need}>
            {t(`operator.needs.${need}`)}
            {need === 'botProcess' && away && (
              <>
                {' '}
                {t('operator.botAway', { failures: away.failures, reason: isolated(away.reason) })}{' '}
                <LocalTime ms={away.nextStartAtMs} style="seconds" />
              </>
            )}
            {need === 'botParts' &&
              ` ${parts.map(({ name, detail }) => `${isolated(name)} (${isolated(detail)})`).join(', ')}`}
          </li>
        ))}
      </ul>
    </Callout>
  );
}

export default function OperatorPage({ loaderData: state }: Route.ComponentProps) {
  const { t } = useTranslation();
  const working = state.bots.filter((bot) => bot.state === 'ready' && !bot.silent).length;
  const isKnown = state.botProcess !== null;
  return (
    <>
      <PageHead
        title={t('operator.title')}
        lede={
          <>
            {t(state.needs.length === 0 ? 'operator.nothingNeeded' : 'operator.needed')}{' '}
            {t('operator.readAt')} <LocalTime ms={state.readAtMs} style="seconds" />.
          </>
        }
        actions={
          <>
            <ButtonLink to={state.isLive ? '/operator' : '/operator?live'}>
              {t(state.isLive ? 'operator.live.stop' : 'operator.live.start')}
            </ButtonLink>
            <ButtonLink to={state.isLive ? '/operator?live' : '/operator'} icon={RefreshCw}>
              {t('operator.again')}
            </ButtonLink>
          </>
        }
      />
      <div className="stack stack-12">
        <Needs needs={state.needs} away={state.botAway} parts={state.botProcess?.faultyParts ?? []} />
        <SendingSwitch stop={state.stop} />
        <Custody rows={state.custody} />
        <DoubtfulSends sends={state.doubtful} />
        <section>
          <SectionHead
            title={t('operator.bots.title')}
            aside={
              <span className="s13 muted">
                {isKnown
                  ? t('operator.bots.working', { working, total: state.bots.length })
                  : t('operator.bots.unknown')}
              </span>
            }
          />
          <BotTable bots={state.bots} maxOpenOffers={state.maxOpenOffers} />
        </section>
        <div className="grid-2 op-grid">
          <Queues queues={state.queues} />
          <Channels channels={state.channels} nowMs={state.readAtMs} />
        </div>
        <WorkTable work={state.work} />
        <SelfTests tests={state.selfTests} />
        <OddAnswers odd={state.oddAnswers} />
        <FaultTable faults={state.faults} />
        <div className="grid-2 op-grid">
          <Backups backups={state.backups} database={state.database} isKnown={isKnown} />
          <VersionSheet
            version={state.version}
            database={state.database}
            schema={state.schema}
            ledger={state.ledger}
            webSinceMs={state.startedAtMs}
            botSinceMs={state.botProcess?.startedAtMs ?? null}
            forwardedFor={state.forwardedFor}
          />
        </div>
        <p className="s13 muted">{t('operator.onlyYou')}</p>
      </div>
    </>
  );
}
