import { data, Form } from 'react-router';
import { SearchField } from '#app/components/forms/search-field.tsx';
import { Compass } from '#app/components/icons/signs.ts';
import { FilterFold } from '#app/components/lists/filter-fold.tsx';
import { EmptyState, Pagination, Unavailable } from '#app/components/lists/list-states.tsx';
import { Link } from '#app/components/shell/link.tsx';
import { PageHead } from '#app/components/shell/page-head.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { orUnavailable } from '#app/services/available.server.ts';
import { cardsOf } from '#app/services/channels/channel-cards.server.ts';
import { ownBest } from '#app/services/channels/own-standings.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { ruleTypes } from '#db/schema/rule.ts';
import { listChannels, listGames } from '#domain/channel/list-channels.ts';
import type { Route } from './+types/browse.ts';
import { ChannelCard } from './channel-card.tsx';

/** Divisible by one, two and three, so that the last row of cards is full. */
const CARDS = 24;
const onlineStates = ['both', 'online', 'offline'] as const;

export async function loader({ request, context }: Route.LoaderArgs) {
  await requireVerifiedAccount(context);
  const query = new URL(request.url).searchParams;
  const text = (name: string) => (query.get(name) ?? '').trim().slice(0, 100);
  const state = onlineStates.find((each) => each === query.get('state')) ?? 'both';
  const type = ruleTypes.find((each) => each === query.get('type'));
  const [search, game] = [text('q'), text('game')];
  const found = await orUnavailable(context, async () => {
    const db = await database();
    const live = state === 'both' ? undefined : state === 'online';
    const asked = { search, live, ruleType: type, game, after: query.get('after'), size: CARDS };
    const [page, games] = await Promise.all([listChannels(db, asked), listGames(db)]);
    const cards = await cardsOf(db, page.rows);
    return { cards, own: await ownBest(context, cards, await domainNow()), next: page.next, games };
  });
  const filters = { search, state, type: type ?? '', game };
  return data({ found, filters, types: ruleTypes }, { status: found ? 200 : 503 });
}

type Data = Route.ComponentProps['loaderData'];

function Filter({ filters, types, games }: Pick<Data, 'filters' | 'types'> & { games: string[] }) {
  const { t } = useTranslation();
  return (
    <Form className="filters" role="search" action="/browseChannels">
      <SearchField name="q" label={t('browse.name')} value={filters.search} />
      <FilterFold
        selects={[
          {
            name: 'state',
            label: t('browse.state'),
            value: filters.state === 'both' ? '' : filters.state,
            all: t('browse.both'),
            options: [
              { value: 'online', label: t('browse.live') },
              { value: 'offline', label: t('common.offline') },
            ],
          },
          {
            name: 'type',
            label: t('browse.type'),
            value: filters.type,
            all: t('browse.everyType'),
            options: types.map((type) => ({ value: type, label: t(`rules.type.${type}`) })),
          },
          {
            name: 'game',
            label: t('browse.game'),
            value: filters.game,
            all: t('browse.everyGame'),
            options: [...new Set([...games, filters.game])]
              .filter(Boolean)
              .map((game) => ({ value: game, label: game })),
          },
        ]}
      />
    </Form>
  );
}

function None({ filtered }: { filtered: boolean }) {
  const { t } = useTranslation();
  if (!filtered)
    return (
      <EmptyState icon={Compass} title={t('browse.emptyTitle')}>
        {t('browse.empty')}
      </EmptyState>
    );
  return (
    <EmptyState
      title={t('browse.noMatchTitle')}
      action={
        <Link className="btn btn--secondary" to="/browseChannels">
          {t('browse.showAll')}
        </Link>
      }
    >
      {t('browse.noMatch')}
    </EmptyState>
  );
}

export default function Browse({ loaderData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const { found, filters, types } = loaderData;
  const { state, ...others } = filters;
  const filtered = state !== 'both' || Object.values(others).some((value) => value !== '');
  return (
    <>
      <PageHead title={t('browse.title')} lede={t('browse.lede')} />
      {found ? (
        <>
          {(filtered || found.cards.length > 0) && (
            <Filter filters={filters} types={types} games={found.games} />
          )}
          {found.cards.length === 0 ? (
            <None filtered={filtered} />
          ) : (
            <div className="grid-3">
              {found.cards.map((channel) => (
                <ChannelCard key={channel.id} channel={channel} own={found.own} />
              ))}
            </div>
          )}
          <Pagination next={found.next} />
        </>
      ) : (
        <Unavailable title={t('browse.unavailable')} />
      )}
    </>
  );
}
