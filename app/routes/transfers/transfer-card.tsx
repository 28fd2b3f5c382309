import type { ReactNode } from 'react';
import { Badge, type BadgeType } from '#app/components/feedback/badge.tsx';
import { Icon, type Sign } from '#app/components/icons/icon.tsx';
import {
  ArrowDownLeft,
  ArrowUpRight,
  Ban,
  Check,
  ChevronRight,
  CircleAlert,
  CircleCheck,
  CircleX,
  Hourglass,
  Loader,
  Undo2,
} from '#app/components/icons/signs.ts';
import { ItemArt, type ItemPicture } from '#app/components/items/item-art.tsx';
import { Link } from '#app/components/shell/link.tsx';
import { LocalTime } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { Unbroken } from '#app/components/text/unbroken.tsx';
import type { ListedTransfer } from '#domain/transfer/list-transfers.ts';
import { useViewerName } from './viewer-name.ts';

/** The fields of a transfer that the list shows. */
export type ShownTransfer = Pick<
  ListedTransfer,
  'id' | 'kind' | 'state' | 'own' | 'userName' | 'createdAtMs'
> & {
  botName: string;
  /** The kind that represents the transfer, and how many items of other kinds it has. */
  first: { quantity: number; name: string; picture: ItemPicture } | null;
  others: number;
};

type State = ShownTransfer['state'];

/** The icon and emphasis of each state. */
const looks: Record<State, { type: BadgeType; icon: Sign }> = {
  queued: { type: 'plain', icon: Hourglass },
  sending: { type: 'info', icon: Loader },
  uncertain: { type: 'warning', icon: Loader },
  unconfirmed: { type: 'info', icon: Loader },
  sent: { type: 'info', icon: Hourglass },
  escrowed: { type: 'warning', icon: Hourglass },
  accepted: { type: 'accent', icon: Check },
  settled: { type: 'success', icon: CircleCheck },
  reversed: { type: 'danger', icon: Undo2 },
  declined: { type: 'plain', icon: CircleX },
  expired: { type: 'plain', icon: CircleX },
  cancelled: { type: 'plain', icon: Ban },
  failed: { type: 'danger', icon: CircleAlert },
};

function useName(): (transfer: ShownTransfer) => string {
  const { t } = useTranslation();
  return ({ first, others }) => {
    if (!first) return '';
    const { quantity, name: only } = first;
    const name = quantity === 1 ? only : t('transfers.name', { quantity, name: only });
    if (others === 0) return name;
    return t('transfers.more', { first: name, others });
  };
}

function useWay(): (transfer: ShownTransfer) => { icon: Sign; text: string } {
  const { t } = useTranslation();
  const viewerName = useViewerName();
  return (transfer) => {
    const { kind, own, botName } = transfer;
    if (kind === 'deposit')
      return { icon: ArrowDownLeft, text: t('transfers.way.deposit', { bot: botName }) };
    if (kind === 'return') return { icon: Undo2, text: t('transfers.way.return') };
    return {
      icon: ArrowUpRight,
      text: own ? t('transfers.way.claimOwn') : t('transfers.way.claim', { viewer: viewerName(transfer) }),
    };
  };
}

/** The text for a transfer's state. What was deposited is in custody rather than delivered. */
function wordOf({ state, own, kind }: ShownTransfer) {
  if (state === 'sent' && !own) return 'sentToViewer';
  return state === 'accepted' && kind === 'deposit' ? 'acceptedDeposit' : state;
}

type Props = {
  transfer: ShownTransfer;
  /** The address that opens the transfer, or closes it if open. */
  to: string;
  /** True if the page was opened for this transfer, which then gets the focus. */
  asked: boolean;
  /** Its timeline, if open. */
  children: ReactNode;
};

const noPicture: ItemPicture = { icon: null, rarity: 'base', shape: 'unknown' };

/** One transfer of the list: its items and its progress. One is open at a time, and the address says which. */
export function TransferCard({ transfer, to, asked, children }: Props) {
  const { t } = useTranslation();
  const [name, way] = [useName()(transfer), useWay()(transfer)];
  const { id, state, first } = transfer;
  const look = looks[state];
  const open = Boolean(children);
  return (
    <div className="transfer">
      <Link
        className="transfer__head"
        to={to}
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        // A page that was opened for this transfer scrolls to it.
        autoFocus={asked}
        preventScrollReset
      >
        <ItemArt {...(first?.picture ?? noPicture)} size="thumb" />
        <div className="item__text">
          <div className="item__name">
            <Unbroken text={name} />
          </div>
          <div className="item__meta line line-tight line-nowrap">
            <Icon of={way.icon} size="small" />
            {way.text}
          </div>
        </div>
        <div className="transfer__state">
          <Badge type={look.type} icon={look.icon}>
            {t(`transfers.state.${wordOf(transfer)}`)}
          </Badge>
        </div>
        <LocalTime ms={transfer.createdAtMs} className="transfer__when s13 muted" />
        <Icon of={ChevronRight} className="transfer__chev" />
      </Link>
      {open && (
        <div className="transfer__body" id={id}>
          {children}
        </div>
      )}
    </div>
  );
}
