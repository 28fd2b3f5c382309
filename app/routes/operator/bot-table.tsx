import { Badge, type BadgeType } from '#app/components/feedback/badge.tsx';
import type { Sign } from '#app/components/icons/icon.tsx';
import { Bot, CircleAlert, CircleCheck, Clock } from '#app/components/icons/signs.ts';
import { EmptyState } from '#app/components/lists/list-states.tsx';
import { Table } from '#app/components/lists/table.tsx';
import { useNumberText } from '#app/components/text/amounts.tsx';
import { LocalTime } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { BotRow } from '#app/routes/operator/operator-state.server.ts';
import { useAgeText } from './age-text.ts';

type State = BotRow['state'] | 'silent' | 'restricted' | 'unknown';

const looks: Record<State, { type: BadgeType; icon: Sign }> = {
  ready: { type: 'success', icon: CircleCheck },
  starting: { type: 'warning', icon: Clock },
  offline: { type: 'warning', icon: CircleAlert },
  broken: { type: 'danger', icon: CircleAlert },
  silent: { type: 'danger', icon: CircleAlert },
  restricted: { type: 'warning', icon: Clock },
  unknown: { type: 'warning', icon: CircleAlert },
};

/** The reasons why a bot is away. A code that Steam adds later is shown as it is. */
const faults = [
  'tokenUnreadable',
  'tokenWrongKind',
  'tokenExpired',
  'credentialsRefused',
  'otherAccount',
  'sessionTaken',
  'guardCodeRefused',
  'loginsLimited',
  'accountDisabled',
  'webSessionRefused',
  'steamUnavailable',
] as const;
const isFault = (code: string): code is (typeof faults)[number] => faults.some((each) => each === code);

function stateOf({ state, silent, unknown, restrictedUntilMs }: BotRow): State {
  // It may have changed since, as the process did.
  if (unknown) return 'unknown';
  if (state !== 'ready') return state;
  return silent ? 'silent' : restrictedUntilMs === null ? state : 'restricted';
}

function BotStateBadge({ bot }: { bot: BotRow }) {
  const { t } = useTranslation();
  const state = stateOf(bot);
  const { type, icon } = looks[state];
  return (
    <span>
      <Badge type={type} icon={icon}>
        {t(`operator.bots.state.${state}`)}
      </Badge>
      {bot.fault !== null && (
        <span className="op-note">
          {isFault(bot.fault) ? t(`operator.bots.fault.${bot.fault}`) : bot.fault}
        </span>
      )}
      {bot.restrictedUntilMs !== null && (
        <span className="op-note">
          {t('operator.bots.restricted')} {t('operator.retry')} <LocalTime ms={bot.restrictedUntilMs} />.
        </span>
      )}
      {bot.refusedWith !== null && (
        <span className="op-note">
          {t('operator.bots.refused', { count: bot.refusals })} <q lang="en">{bot.refusedWith}</q>
        </span>
      )}
    </span>
  );
}

/** The trade bots, each with its state, open offers and items. */
export function BotTable({ bots, maxOpenOffers }: { bots: readonly BotRow[]; maxOpenOffers: number }) {
  const { t } = useTranslation();
  const [number, age] = [useNumberText(), useAgeText()];
  if (bots.length === 0)
    return (
      <EmptyState icon={Bot} title={t('operator.bots.noneTitle')}>
        {t('operator.bots.none')}
      </EmptyState>
    );
  return (
    <div className="sheet">
      <Table
        caption={t('operator.bots.title')}
        rows={bots}
        rowKey={({ id }) => id}
        columns={[
          {
            key: 'bot',
            label: t('operator.bots.bot'),
            plain: true,
            cell: ({ id, steamId }) => (
              <span>
                <b>{id}</b>
                <code className="op-note nowrap">{steamId ?? '–'}</code>
              </span>
            ),
          },
          { key: 'state', label: t('operator.bots.stateTitle'), cell: (bot) => <BotStateBadge bot={bot} /> },
          {
            key: 'offers',
            label: t('operator.bots.offers'),
            cell: ({ id, openOffers }) => (
              <span className="op-meter">
                {t('operator.bots.offersOf', { count: openOffers, max: maxOpenOffers })}
                <progress
                  className="meter"
                  value={openOffers}
                  max={maxOpenOffers}
                  aria-label={t('operator.bots.offersOfBot', { name: id })}
                />
              </span>
            ),
          },
          {
            key: 'items',
            label: t('operator.bots.items'),
            numeric: true,
            cell: ({ items }) => number(items),
          },
          {
            key: 'heartbeat',
            label: t('operator.bots.heartbeat'),
            cell: ({ heartbeatAgeMs }) =>
              heartbeatAgeMs === null
                ? t('operator.never')
                : t('operator.ago', { time: age(heartbeatAgeMs) }),
          },
        ]}
      />
    </div>
  );
}
