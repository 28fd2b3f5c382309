import { useSearchParams } from 'react-router';
import { Icon } from '#app/components/icons/icon.tsx';
import { Ban, ChevronDown, ChevronRight, Timer, Undo2 } from '#app/components/icons/signs.ts';
import { pictureOf } from '#app/components/items/item-facts.ts';
import { ItemLine } from '#app/components/items/item-line.tsx';
import { Link } from '#app/components/shell/link.tsx';
import { Avatar } from '#app/components/shell/shell.tsx';
import { useTimeText } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { GivenReward, GivenRewardOrigin } from '#domain/view/list-given-rewards.ts';
import { GivenLife } from './given-life.tsx';
import { type Station, type Stop, stations, trackOf } from './track.ts';
import '#app/styles/ledger.css';

const endIcons = {
  notClaimed: Timer,
  notAccepted: Timer,
  reversed: Undo2,
  depositReversed: Undo2,
  stopped: Ban,
  recalled: Ban,
};

function StopText({ station, stop }: { station: Station; stop: Stop }) {
  const { t } = useTranslation();
  const time = useTimeText();
  if (stop.state === 'todo') return '–';
  if (stop.state === 'done') return time(stop.ms, station === 'final' ? 'day' : 'short');
  if (stop.ms === null) return t(`given.status.${stop.text}`);
  if (stop.text === 'preparing') return t('given.step.preparing');
  const style = stop.text === 'by' ? 'short' : 'day';
  return t(`given.step.${stop.text}`, { date: time(stop.ms, style) });
}

function StopCell({ station, stop }: { station: Station; stop: Stop }) {
  const { t } = useTranslation();
  const isQuiet = stop.state === 'ended' && stop.text !== 'reversed';
  const parts = ['step', `step--${stop.state}`];
  if (isQuiet) parts.push('step--quiet');
  if (station === 'final') parts.push('step--last');
  return (
    <td className={parts.join(' ')} data-label={t(`given.status.${station}`)}>
      <div>
        <span className="step__dot">
          {stop.state === 'ended' && <Icon of={endIcons[stop.text]} size="small" />}
        </span>
        <span className="step__when" suppressHydrationWarning>
          <StopText station={station} stop={stop} />
        </span>
      </div>
    </td>
  );
}

type RowProps = {
  reward: GivenReward;
  /** The address that opens its row, or closes it if open. */
  to: string;
  open: boolean;
};

function Row({ reward, to, open }: RowProps) {
  const { t } = useTranslation();
  const { viewer, item } = reward;
  const name = viewer?.displayName ?? t('transfers.formerViewer');
  return (
    <tr className={open ? 'ledger__on' : undefined}>
      <td>
        <span className="line line-tight line-nowrap">
          <Avatar name={name} url={viewer?.pictureUrl || null} size="small" />
          <b>{name}</b>
        </span>
      </td>
      <td className="ledger__item">
        <ItemLine {...pictureOf(item)} size="small" name={item.name} meta={item.exterior} />
      </td>
      <td className="s13 muted" data-label={t('given.rule')}>
        {reward.ruleName}
      </td>
      {trackOf(reward).map(({ station, stop }) => (
        <StopCell key={station} station={station} stop={stop} />
      ))}
      <td className="ledger__more">
        <Link
          className="btn btn--quiet btn--icon btn--small"
          to={to}
          aria-expanded={open}
          aria-label={t('given.timelineOf', { viewer: name, item: item.name })}
          preventScrollReset
        >
          <Icon of={open ? ChevronDown : ChevronRight} />
        </Link>
      </td>
    </tr>
  );
}

type Props = { rewards: readonly GivenReward[]; opened: GivenRewardOrigin | null };

/** Given rewards, each row with its stages. One row is open at a time, and the address says which. */
export function GivenTable({ rewards, opened }: Props) {
  const { t } = useTranslation();
  const [query] = useSearchParams();
  const to = (id: string | null) => {
    const changed = new URLSearchParams(query);
    if (id === null) changed.delete('open');
    else changed.set('open', id);
    return `?${changed}`;
  };
  return (
    <table className="table table--cards ledger ledger--track">
      <caption className="vh">{t('given.title')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('given.viewer')}</th>
          <th scope="col">{t('given.item')}</th>
          <th scope="col">{t('given.rule')}</th>
          {stations.map((station) => (
            <th key={station} scope="col">
              {t(`given.status.${station}`)}
            </th>
          ))}
          <th scope="col">
            <span className="vh">{t('given.timeline')}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {rewards.flatMap((reward) => {
          const open = reward.id === opened?.id;
          const row = <Row key={reward.id} reward={reward} open={open} to={to(open ? null : reward.id)} />;
          if (!open) return [row];
          return [
            row,
            <tr className="ledger__open" key="open">
              <td colSpan={8}>
                <GivenLife reward={opened} />
              </td>
            </tr>,
          ];
        })}
      </tbody>
    </table>
  );
}
