import { data } from 'react-router';
import { Code } from '#app/components/feedback/code.tsx';
import { ButtonLink } from '#app/components/forms/button.tsx';
import { pictureOf } from '#app/components/items/item-facts.ts';
import { ItemLine } from '#app/components/items/item-line.tsx';
import { useConditionLines } from '#app/components/rules/condition-lines.ts';
import { Link } from '#app/components/shell/link.tsx';
import type { PageHandle } from '#app/components/shell/page-handle.ts';
import { SectionHead } from '#app/components/shell/page-head.tsx';
import { PageTitle } from '#app/components/shell/page-title.tsx';
import { PublicShell } from '#app/components/shell/public-shell.tsx';
import { LocalTime } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { Unbroken } from '#app/components/text/unbroken.tsx';
import { config } from '#app/config.server.ts';
import { database } from '#app/services/database.server.ts';
import { isId } from '#domain/kernel/id.ts';
import { getRaffle, listLastEntries, listPlaces } from '#domain/raffle/get-raffle.ts';
import type { Route } from './+types/raffle-page.ts';

export const handle: PageHandle = { plain: true };

/** As many entries and places are named; the data has all of them. */
const SHOWN = 12;

export async function loader({ params: { raffleId } }: Route.LoaderArgs) {
  const { read } = await database();
  const raffle = isId(raffleId) ? await getRaffle(read, raffleId) : null;
  if (!raffle) throw data(null, { status: 404 });
  return {
    raffle,
    places: await listPlaces(read, { raffleId, limit: SHOWN }),
    entries: await listLastEntries(read, { raffleId, limit: SHOWN }),
    address: new URL(`/raffle/${raffleId}.json`, config().publicUrl).href,
  };
}

type Data = Route.ComponentProps['loaderData'];

/** Lists what the raffle asks of whoever enters. */
function MayEnter({ raffle: { conditions, winnersOutDays, moderatorsMayEnter } }: Pick<Data, 'raffle'>) {
  const { t } = useTranslation();
  const asked = useConditionLines(conditions).map(({ text }) => text);
  return (
    <ul className="s13 muted">
      <li>{t('raffle.free')}</li>
      {asked.length === 0 && <li>{t('raffle.everybody')}</li>}
      {asked.map((text) => (
        <li key={text}>{text}</li>
      ))}
      {winnersOutDays > 0 && <li>{t('raffle.outFor', { count: winnersOutDays })}</li>}
      {!moderatorsMayEnter && <li>{t('raffle.noModerators')}</li>}
    </ul>
  );
}

/** Shows the item, the word for it, and when it is drawn. */
function Facts({ raffle }: Pick<Data, 'raffle'>) {
  const { t } = useTranslation();
  return (
    <section className="sheet sheet__pad stack stack-3">
      <p className="muted">
        <Link to={`/channels/${raffle.channel.login}`}>{raffle.channel.name}</Link>
      </p>
      <h1>
        {raffle.item ? (
          <ItemLine {...pictureOf(raffle.item)} name={raffle.item.name} />
        ) : (
          <Unbroken text={`!${raffle.keyword}`} />
        )}
      </h1>
      {raffle.state === 'running' && (
        <p>
          {t('raffle.type')} <b>!{raffle.keyword}</b>
        </p>
      )}
      <dl className="kv kv--start">
        <div className="kv__row">
          <dt>{t('raffle.entries')}</dt>
          <dd>{raffle.entryCount}</dd>
        </div>
        <div className="kv__row">
          <dt>{t('raffle.winners')}</dt>
          <dd>{raffle.winners}</dd>
        </div>
        {raffle.endsAtMs !== null && (
          <div className="kv__row">
            <dt>{t('raffle.drawAt')}</dt>
            <dd>
              <LocalTime ms={raffle.endsAtMs} />
            </dd>
          </div>
        )}
      </dl>
      <p className="s13 muted">
        {t(raffle.endReason === 'noEntries' ? 'raffle.nobody' : `raffle.state.${raffle.state}`)}
      </p>
      <MayEnter raffle={raffle} />
    </section>
  );
}

/** The key of the words for how a place stands. */
function placeKey({ state, passReason, reward, recallReason }: Data['places'][number]) {
  if (passReason !== null) return `raffle.passed.${passReason}` as const;
  if (reward === 'recalled') {
    const why = recallReason === 'timedOut' || recallReason === 'stopped' ? recallReason : 'other';
    return `raffle.recalled.${why}` as const;
  }
  return `raffle.place.${reward === 'claimed' || reward === 'reserved' ? reward : state}` as const;
}

function Places({ places }: Pick<Data, 'places'>) {
  const { t } = useTranslation();
  return (
    <section>
      <SectionHead title={t('raffle.places')} />
      <ol className="sheet sheet__pad stack stack-2">
        {places.map((row) => (
          <li key={row.place}>
            <b>{row.name ?? t('raffle.viewer')}</b>{' '}
            <span className="s13 muted">
              {t('raffle.entry', { number: row.number })} · {t(placeKey(row))}{' '}
              {row.untilMs !== null && <LocalTime ms={row.untilMs} />}
            </span>
          </li>
        ))}
      </ol>
      {places.some(({ state }) => state === 'held') && (
        <p className="mt-4">
          <ButtonLink kind="primary" to="/auth/signin?to=%2FrewardProgress">
            {t('raffle.signIn')}
          </ButtonLink>
        </p>
      )}
    </section>
  );
}

function LastEntries({ entries }: Pick<Data, 'entries'>) {
  const { t } = useTranslation();
  return (
    <section>
      <SectionHead title={t('raffle.last')} />
      <ol className="sheet sheet__pad stack stack-2" reversed start={entries[0]?.number ?? 1}>
        {entries.map(({ number, name }) => (
          <li key={number} value={number}>
            {name ?? t('raffle.viewer')}
          </li>
        ))}
      </ol>
      <p className="s13 muted">{t('raffle.names')}</p>
    </section>
  );
}

/** Shows the proof: facts of the start, those since, and the way to check them. */
function Proof({ raffle, address }: Pick<Data, 'raffle' | 'address'>) {
  const { t } = useTranslation();
  const latest = raffle.checkpoints.at(-1);
  return (
    <aside className="aside sheet sheet__pad stack stack-3">
      <h2>{t('raffle.proof')}</h2>
      <p className="s13 muted">{t('raffle.commitment')}</p>
      <Code>{raffle.commitment}</Code>
      <p className="s13 muted">
        {raffle.sealedAtMs === null && latest
          ? t('raffle.hashOf', { count: latest.number })
          : t('raffle.hash')}
      </p>
      <Code>{(raffle.sealedAtMs === null ? latest?.hash : raffle.listHash) ?? raffle.head ?? ''}</Code>
      {raffle.announcedAtMs !== null && (
        <p className="s13 muted">
          {t('raffle.announced')} <LocalTime ms={raffle.announcedAtMs} />
        </p>
      )}
      {raffle.drawnAtMs !== null && raffle.announcedAtMs === null && (
        <p className="s13 muted">{t('raffle.unannounced')}</p>
      )}
      {raffle.seed !== null && (
        <>
          <p className="s13 muted">{t('raffle.seed')}</p>
          <Code>{raffle.seed}</Code>
        </>
      )}
      <p className="s13 muted">{t('raffle.check')}</p>
      <Code>{`node verify-draws.mjs ${address}`}</Code>
      <p className="s13">
        <a href="/proof/verify-draws.mjs">{t('proof.script')}</a> ·{' '}
        <a href={`/raffle/${raffle.id}.json`}>{t('proof.data')}</a> ·{' '}
        <a href={`/api/v1/raffles/${raffle.id}/entries`}>{t('raffle.pages')}</a>
      </p>
    </aside>
  );
}

export default function RafflePage({ loaderData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const { raffle, places, entries, address } = loaderData;
  return (
    <PublicShell>
      <PageTitle>{t('raffle.title', { keyword: raffle.keyword, channel: raffle.channel.name })}</PageTitle>
      <div className="wrap host-page with-aside">
        <div className="stack stack-8">
          <Facts raffle={raffle} />
          {places.length > 0 && <Places places={places} />}
          {entries.length > 0 && <LastEntries entries={entries} />}
        </div>
        <Proof raffle={raffle} address={address} />
      </div>
    </PublicShell>
  );
}
