import { Badge, type BadgeType } from '#app/components/feedback/badge.tsx';
import { Callout } from '#app/components/feedback/callout.tsx';
import { ConfirmDialog } from '#app/components/feedback/confirm.tsx';
import type { Sign } from '#app/components/icons/icon.tsx';
import {
  ArrowDownLeft,
  ArrowUpRight,
  Ban,
  Check,
  CircleAlert,
  CircleCheck,
  CircleX,
  Hourglass,
  Loader,
  Undo2,
} from '#app/components/icons/signs.ts';
import type { ItemPicture } from '#app/components/items/item-art.tsx';
import type { TimelineStep } from '#app/components/lists/timeline.tsx';
import { useSites } from '#app/components/shell/page-context.tsx';
import { LocalTime, useTimeText } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { ListedTransfer, TransferStep } from '#domain/transfer/list-transfers.ts';
import { TransferCard } from './transfer-card.tsx';

/** What is shown of a transfer. */
export type ShownTransfer = Omit<
  ListedTransfer,
  'ruleName' | 'expiresAtMs' | 'acceptedAtMs' | 'steps' | 'items'
> & {
  steps: Omit<TransferStep, 'state'>[];
  /** The kind that stands for all of it, and how many items of other kinds there are. */
  first: { quantity: number; name: string; picture: ItemPicture } | null;
  others: number;
};

type State = ShownTransfer['state'];

/** How each state looks: its sign and its weight. */
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

/** What still lies ahead of a transfer that goes well, from each state on. */
const ahead: Partial<Record<State, readonly ('send' | 'confirm' | 'accept' | 'settle')[]>> = {
  queued: ['send', 'accept', 'settle'],
  sending: ['send', 'accept', 'settle'],
  uncertain: ['send', 'accept', 'settle'],
  unconfirmed: ['confirm', 'accept', 'settle'],
  sent: ['accept', 'settle'],
  escrowed: ['accept', 'settle'],
  accepted: ['settle'],
};

const live = (state: State) => ahead[state] !== undefined && state !== 'accepted';

/** The Twitch name of a claim's viewer, as others know them. */
function useViewerName() {
  const { t } = useTranslation();
  return ({ userName }: ShownTransfer) => userName || t('transfers.formerViewer');
}

type Event = keyof typeof import('#app/locales/en/transfers.ts').transfers.step;
type Fault = keyof typeof import('#app/locales/en/transfers.ts').transfers.error;

function useWords() {
  const { t, has } = useTranslation();
  const viewerName = useViewerName();
  return {
    event: (event: string, transfer: ShownTransfer) => {
      if (event !== 'requested' || transfer.kind !== 'claim')
        return has(`transfers.step.${event}`) ? t(`transfers.step.${event as Event}`) : event;
      return transfer.own
        ? t('transfers.step.claimed')
        : t('transfers.step.claimedBy', { viewer: viewerName(transfer) });
    },
    /** The codes are the bot's; one that is not known here is not shown to people. */
    fault: (code: string) =>
      has(`transfers.error.${code}`) ? t(`transfers.error.${code as Fault}`) : t('transfers.error.unknown'),
  };
}

/** What is waited for now, and what that means. */
function useNowStep(): (transfer: ShownTransfer) => TimelineStep[] {
  const { t } = useTranslation();
  const time = useTimeText();
  const viewerName = useViewerName();
  return (transfer) => {
    const { state, own, sentAtMs, cancelAtMs, settlesAtMs } = transfer;
    if (state === 'sent') {
      const ends = transfer.kind === 'claim' ? 'transfers.next.endsClaim' : 'transfers.next.ends';
      return [
        {
          key: 'now',
          state: 'now',
          label: own
            ? t('transfers.next.waiting')
            : t('transfers.next.waitingFor', { viewer: viewerName(transfer) }),
          time: sentAtMs !== null && t('transfers.next.since', { time: time(sentAtMs, 'time') }),
          note: cancelAtMs !== null && t(ends, { date: time(cancelAtMs) }),
        },
      ];
    }
    if (state === 'accepted' && settlesAtMs !== null)
      return [
        {
          key: 'now',
          state: 'now',
          label: t('transfers.state.accepted'),
          note: t('transfers.next.reversible', { date: time(settlesAtMs) }),
        },
      ];
    return [];
  };
}

function useSteps(): (transfer: ShownTransfer) => TimelineStep[] {
  const { t } = useTranslation();
  const words = useWords();
  const nowStep = useNowStep();
  return (transfer) => {
    const past = transfer.steps.map((step, place): TimelineStep => {
      const last = place === transfer.steps.length - 1;
      return {
        key: `${place}`,
        label: words.event(step.event, transfer),
        state: last && live(transfer.state) && transfer.state !== 'sent' ? 'now' : 'done',
        time: (
          <LocalTime ms={step.atMs} style={sameDay(step.atMs, transfer.createdAtMs) ? 'seconds' : 'short'} />
        ),
        note: step.detail !== null && words.fault(step.detail),
      };
    });
    const future = (ahead[transfer.state] ?? []).map(
      (name): TimelineStep => ({
        key: name,
        label: t(`transfers.next.${name}`),
        state: 'todo',
        note: name === 'settle' && transfer.state !== 'accepted' && t('transfers.next.settleText'),
      }),
    );
    return [...past, ...nowStep(transfer), ...future];
  };
}

/** Within a day the seconds tell the steps apart; later the date does. */
const sameDay = (aMs: number, bMs: number) => Math.abs(aMs - bMs) < 12 * 60 * 60 * 1000;

function useName(): (transfer: ShownTransfer) => string {
  const { t } = useTranslation();
  return ({ first, others }) => {
    if (!first) return '';
    const { quantity, name: only } = first;
    const name = quantity === 1 ? only : t('transfers.name', { quantity, name: only });
    if (others === 0) return name;
    return t('transfers.more', { first: name, rest: t('common.items', { count: others }) });
  };
}

function useWay(): (transfer: ShownTransfer) => { icon: Sign; text: string } {
  const { t } = useTranslation();
  const viewerName = useViewerName();
  return (transfer) => {
    const { kind, own, bot } = transfer;
    if (kind === 'deposit')
      return { icon: ArrowDownLeft, text: t('transfers.way.deposit', { bot: bot.name }) };
    if (kind === 'return') return { icon: Undo2, text: t('transfers.way.return') };
    return {
      icon: ArrowUpRight,
      text: own ? t('transfers.way.claimOwn') : t('transfers.way.claim', { viewer: viewerName(transfer) }),
    };
  };
}

const cancellable: ReadonlySet<State> = new Set(['queued', 'sending', 'uncertain', 'unconfirmed', 'sent']);

function Cancel({ transfer }: { transfer: ShownTransfer }) {
  const { t } = useTranslation();
  if (!transfer.own || !cancellable.has(transfer.state)) return null;
  if (transfer.cancelWanted)
    return (
      <Callout type="info">
        <p>{t('transfers.next.cancelWanted')}</p>
      </Callout>
    );
  return (
    <div className="line">
      <ConfirmDialog
        page={`/transfers/${transfer.id}/cancel`}
        opener={t('transfers.cancel.act')}
        openerClass="btn btn--danger btn--small"
        title={t('transfers.cancel.question')}
        text={t('transfers.cancel.text')}
        act={t('transfers.cancel.act')}
        keep={t('transfers.cancel.keep')}
        destructive
      />
    </div>
  );
}

/** One transfer of the list: what moves, how far it is, who carries it, and how to know the offer again. */
export function TransferView({ transfer, open }: { transfer: ShownTransfer; open: boolean }) {
  const { t } = useTranslation();
  const words = useWords();
  const sites = useSites();
  const [name, way, steps] = [useName()(transfer), useWay()(transfer), useSteps()(transfer)];
  const { state, own, bot, offerId, first } = transfer;
  const look = looks[state];
  const working = bot.state === 'ready';
  return (
    <TransferCard
      picture={first?.picture ?? { icon: null, rarity: 'base', shape: 'unknown' }}
      name={name}
      way={way}
      badge={
        <Badge type={look.type} icon={look.icon}>
          {state === 'sent' && !own ? t('transfers.state.sentToViewer') : t(`transfers.state.${state}`)}
        </Badge>
      }
      atMs={transfer.createdAtMs}
      steps={steps}
      open={open}
      securityCode={live(state) ? transfer.securityCode : null}
      bot={{
        name: bot.name,
        steamId: bot.steamId ?? '–',
        sinceMs: bot.firstSeenAtMs,
        state: (
          <Badge type={working ? 'success' : 'warning'} icon={working ? CircleCheck : CircleAlert}>
            {t(working ? 'transfers.botWorking' : 'transfers.botAway')}
          </Badge>
        ),
      }}
      offerId={offerId}
      offerUrl={own && offerId !== null && live(state) ? sites.offer(offerId) : null}
      claim={transfer.kind === 'claim'}
    >
      {state === 'failed' && transfer.lastError !== null && (
        <Callout type="warning">
          <p>{words.fault(transfer.lastError)}</p>
        </Callout>
      )}
      <Cancel transfer={transfer} />
    </TransferCard>
  );
}
