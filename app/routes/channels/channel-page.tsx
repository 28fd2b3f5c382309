import { data } from 'react-router';
import { Code } from '#app/components/feedback/code.tsx';
import { Gift } from '#app/components/icons/signs.ts';
import { EmptyState } from '#app/components/lists/list-states.tsx';
import { Link } from '#app/components/shell/link.tsx';
import type { PageHandle } from '#app/components/shell/page-handle.ts';
import { SectionHead } from '#app/components/shell/page-head.tsx';
import { PageTitle } from '#app/components/shell/page-title.tsx';
import { PublicShell } from '#app/components/shell/public-shell.tsx';
import { Avatar } from '#app/components/shell/shell.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { Unbroken } from '#app/components/text/unbroken.tsx';
import { config } from '#app/config.server.ts';
import { userSummaryContext } from '#app/middleware/contexts.server.ts';
import { readChannelPage } from '#app/services/channels/channel-page.server.ts';
import { ownStandings } from '#app/services/channels/own-standings.server.ts';
import { rarestFirst } from '#app/services/channels/shown-kinds.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { readRunningRaffle } from '#domain/raffle/read-running.ts';
import type { Route } from './+types/channel-page.ts';
import { Deliveries, RecordSheet } from './deliveries.tsx';
import { HostActions, LiveState, liveSecondsOf } from './host.tsx';
import { EmptyRules, Offer } from './offer.tsx';

export const handle: PageHandle = { plain: true };

export async function loader({ params: { login }, context }: Route.LoaderArgs) {
  const nowMs = await domainNow();
  const db = await database();
  const page = await readChannelPage(db, login, nowMs);
  if (!page) throw data(null, { status: 404 });
  const shown = page.offers.map(({ id }) => id);
  const raffle = await readRunningRaffle(db.read, { channelId: page.channel.id });
  return {
    raffle: raffle && raffle.state !== 'over' ? raffle : null,
    page: { ...page, offers: rarestFirst(page.offers) },
    own: await ownStandings(context, shown, nowMs),
    liveSeconds: liveSecondsOf(page.channel, nowMs),
    isMember: context.get(userSummaryContext)?.verified ?? false,
    address: new URL(`/channels/${page.channel.login}`, config().publicUrl).href.replace(/^https?:\/\//, ''),
  };
}

type Data = Route.ComponentProps['loaderData'];

function Host({ page: { channel }, liveSeconds, isMember }: Data) {
  return (
    <div className="host">
      <div className="host__who">
        <Avatar name={channel.displayName} url={channel.pictureUrl || null} size="huge" />
        <div>
          <LiveState channel={channel} liveSeconds={liveSeconds} />
          <h1>{channel.displayName}</h1>
          {channel.title && <p className="muted">{channel.title}</p>}
        </div>
      </div>
      <HostActions login={channel.login} isMember={isMember} />
    </div>
  );
}

function Offers({ page: { offers, empty, channel }, own }: Pick<Data, 'page' | 'own'>) {
  const { t } = useTranslation();
  const free = offers.reduce((sum, { pool }) => sum + pool.free, 0);
  if (offers.length + empty.length === 0)
    return (
      <EmptyState icon={Gift} title={t('channelPage.noRulesTitle')}>
        {t('channelPage.noRules', { channel: channel.displayName })}
      </EmptyState>
    );
  return (
    <section>
      <SectionHead
        title={t('channelPage.offers', { count: free })}
        aside={offers.length > 0 && <span className="s13 muted">{t('channelPage.eachMark')}</span>}
      />
      <div className="grid-2">
        {offers.map((rule) => (
          <Offer key={rule.id} rule={rule} own={own[rule.id]} to={`/channels/${channel.login}/${rule.id}`} />
        ))}
      </div>
      {offers.some((rule) => rule.watchMinutes !== null || rule.attendedStreams !== null) && (
        <p className="s13 muted mt-6">{t('channelPage.inChat')}</p>
      )}
      <EmptyRules rules={empty} />
    </section>
  );
}

/** Leads to the raffle that runs in the channel's chat, or whose winners have time to claim. */
function RaffleLink({ raffle }: { raffle: NonNullable<Data['raffle']> }) {
  const { t } = useTranslation();
  return (
    <section>
      <SectionHead title={t('raffle.here')} />
      <p>
        <Link to={`/raffle/${raffle.id}`}>
          <Unbroken text={raffle.item ?? `!${raffle.keyword}`} />
        </Link>
      </p>
      <p className="s13 muted">
        {raffle.state === 'running'
          ? t('raffle.enter', { keyword: raffle.keyword })
          : t(`raffle.state.${raffle.state}`)}
      </p>
    </section>
  );
}

export default function ChannelPageRoute({ loaderData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const { page, own, address, raffle } = loaderData;
  const { displayName } = page.channel;
  return (
    <PublicShell>
      <PageTitle description={t('channelPage.description', { channel: displayName })}>
        {t('channelPage.title', { channel: displayName })}
      </PageTitle>
      <div className="wrap host-page">
        <Host {...loaderData} />
        <div className="stack stack-12">
          {raffle && <RaffleLink raffle={raffle} />}
          <Offers page={page} own={own} />
          <div className="with-aside">
            <Deliveries deliveries={page.latest} />
            <aside className="aside stack stack-8">
              <RecordSheet record={page.record} />
              <section>
                <SectionHead title={t('channelPage.share')} />
                <Code>{address}</Code>
              </section>
            </aside>
          </div>
        </div>
      </div>
    </PublicShell>
  );
}
