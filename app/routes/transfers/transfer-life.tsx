import { Callout } from '#app/components/feedback/callout.tsx';
import { Code } from '#app/components/feedback/code.tsx';
import { ConfirmDialog } from '#app/components/feedback/confirm.tsx';
import { ButtonLink, OutsideLink } from '#app/components/forms/button.tsx';
import { ExternalLink } from '#app/components/icons/signs.ts';
import { AffectedKinds } from '#app/components/items/affected-items.tsx';
import { Twin } from '#app/components/lists/table.tsx';
import { Timeline, type TimelineStep } from '#app/components/lists/timeline.tsx';
import { useSites } from '#app/components/shell/page-context.tsx';
import { useSpanText } from '#app/components/text/amounts.tsx';
import { LocalTime, useTimeText } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { TransferStep, WholeTransfer } from '#domain/transfer/list-transfers.ts';
import { BotFacts } from './bot-facts.tsx';
import { useRunningTime } from './running-time.ts';
import { useViewerName } from './viewer-name.ts';

/** The fields of an open transfer. */
export type OpenTransfer = Omit<WholeTransfer, 'ruleName' | 'expiresAtMs' | 'acceptedAtMs' | 'steps'> & {
  steps: Omit<TransferStep, 'state'>[];
  /** Time at which the bot sends again what is queued; null unless Steam refuses its offers. */
  pausedUntilMs: number | null;
};

type State = OpenTransfer['state'];

/** The states still ahead of a successful transfer, by its current state. */
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

/** Returns whether an open transfer still stands at its last step, rather than at what it waits for. */
const isStepNow = ({ state, pausedUntilMs }: OpenTransfer) =>
  live(state) && state !== 'sent' && pausedUntilMs === null;

type Event = keyof typeof import('#app/locales/en/transfers.ts').transfers.step;
type Fault = keyof typeof import('#app/locales/en/transfers.ts').transfers.error;

function useWords() {
  const { t, has } = useTranslation();
  const viewerName = useViewerName();
  return {
    event: (event: string, transfer: OpenTransfer) => {
      if (event !== 'requested' || transfer.kind !== 'claim')
        return has(`transfers.step.${event}`) ? t(`transfers.step.${event as Event}`) : event;
      return transfer.own
        ? t('transfers.step.claimed')
        : t('transfers.step.claimedBy', { viewer: viewerName(transfer) });
    },
    /** Error codes come from the bot; an unknown one is not shown. */
    fault: (code: string) =>
      has(`transfers.error.${code}`) ? t(`transfers.error.${code as Fault}`) : t('transfers.error.unknown'),
  };
}

/** The event that the transfer waits for, with an explanation. */
function useNowStep(serverMs: number): (transfer: OpenTransfer) => TimelineStep[] {
  const { t } = useTranslation();
  const time = useTimeText();
  const span = useSpanText();
  const nowMs = useRunningTime(serverMs);
  const endOf = (kind: OpenTransfer['kind'], atMs: number) => {
    if (kind === 'claim') return t('transfers.next.endsClaim', { date: time(atMs) });
    if (kind === 'return') return t('transfers.next.ends', { date: time(atMs) });
    const left = span(Math.ceil(Math.max(0, atMs - nowMs) / 60_000) * 60);
    return t('transfers.next.endsDeposit', { span: left, time: time(atMs, 'time') });
  };
  const viewerName = useViewerName();
  return (transfer) => {
    const { state, own, sentAtMs, cancelAtMs, settlesAtMs, pausedUntilMs } = transfer;
    if (pausedUntilMs !== null)
      return [
        {
          key: 'now',
          state: 'now',
          label: t('transfers.next.paused'),
          note: t('transfers.next.pausedUntil', { date: time(pausedUntilMs) }),
        },
      ];
    if (state === 'sent') {
      return [
        {
          key: 'now',
          state: 'now',
          label: own
            ? t('transfers.next.waiting')
            : t('transfers.next.waitingFor', { viewer: viewerName(transfer) }),
          time: sentAtMs !== null && t('transfers.next.since', { time: time(sentAtMs, 'time') }),
          note: cancelAtMs !== null && endOf(transfer.kind, cancelAtMs),
        },
      ];
    }
    if (state === 'accepted' && settlesAtMs !== null)
      return [
        {
          key: 'now',
          state: 'now',
          label: t(
            transfer.kind === 'deposit' ? 'transfers.state.acceptedDeposit' : 'transfers.state.accepted',
          ),
          note: t('transfers.next.reversible', { date: time(settlesAtMs) }),
        },
      ];
    return [];
  };
}

function useSteps(serverMs: number): (transfer: OpenTransfer) => TimelineStep[] {
  const { t } = useTranslation();
  const words = useWords();
  const nowStep = useNowStep(serverMs);
  return (transfer) => {
    const past = transfer.steps.map((step, place): TimelineStep => {
      const last = place === transfer.steps.length - 1;
      return {
        key: `${place}`,
        label: words.event(step.event, transfer),
        state: last && isStepNow(transfer) ? 'now' : 'done',
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

/** Within a day, seconds tell the steps apart; later the date does. */
const sameDay = (aMs: number, bMs: number) => Math.abs(aMs - bMs) < 12 * 60 * 60 * 1000;

const cancellable: ReadonlySet<State> = new Set(['queued', 'sending', 'uncertain', 'unconfirmed', 'sent']);

function Cancel({ transfer }: { transfer: OpenTransfer }) {
  const { t } = useTranslation();
  if (!cancellable.has(transfer.state)) return null;
  if (transfer.cancelWanted)
    return (
      <Callout type="info">
        <p>{t('transfers.next.cancelWanted')}</p>
      </Callout>
    );
  if (!transfer.own)
    return (
      transfer.rewardId !== null && (
        <div className="line">
          <ButtonLink kind="danger" to={`/rules/who-got-what/${transfer.rewardId}/stop`}>
            {t('given.stop.act')}
          </ButtonLink>
        </div>
      )
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

/** Number of kinds up to which a transfer's items need not be opened. */
const FEW_KINDS = 3;

/** All items of a transfer, to compare with those in the offer. */
function Items({ items }: Pick<OpenTransfer, 'items'>) {
  const { t } = useTranslation();
  const pieces = items.reduce((sum, { quantity }) => sum + quantity, 0);
  const kinds = items.map((item) => ({
    ...item,
    key: [item.appId, item.marketHashName, item.traits].join(),
  }));
  return (
    <Twin label={t('transfers.items', { count: pieces })} isOpen={items.length <= FEW_KINDS}>
      <AffectedKinds kinds={kinds} />
    </Twin>
  );
}

/** A transfer's timeline, what happens next, its bot, and how to recognize the offer. */
export function TransferLife({ transfer, nowMs }: { transfer: OpenTransfer; nowMs: number }) {
  const { t } = useTranslation();
  const words = useWords();
  const sites = useSites();
  const steps = useSteps(nowMs)(transfer);
  const { state, own, offerId, securityCode } = transfer;
  const facts = (
    <>
      <Items items={transfer.items} />
      <BotFacts bot={transfer.bot} offerId={offerId} />
      {own && offerId !== null && live(state) && (
        <OutsideLink kind="primary" wide icon={ExternalLink} href={sites.offer(offerId)} target="_blank">
          {t('transfers.openOffer')}
        </OutsideLink>
      )}
    </>
  );
  // The comparison comes first where there is one column: it is what somebody has to do. From 60em it is the right one of two,
  // and the focus goes through it first there, too.
  const isCompared = securityCode !== null && live(state);
  return (
    <>
      {isCompared && (
        <div className="stack stack-6 transfer__compare">
          <div>
            <h2>{t('transfers.compare')}</h2>
            <p className="s13 muted mb-4">{t('transfers.compareText')}</p>
            <Code big>{securityCode}</Code>
          </div>
          <div className="stack stack-3 ruled">{facts}</div>
        </div>
      )}
      <div className="stack stack-8">
        <Timeline steps={steps} />
        {state === 'failed' && transfer.lastError !== null && (
          <Callout type="warning">
            <p>{words.fault(transfer.lastError)}</p>
          </Callout>
        )}
        <Cancel transfer={transfer} />
        {transfer.kind === 'claim' && (
          <Callout>
            <p>{t('transfers.neverAsks')}</p>
          </Callout>
        )}
      </div>
      {!isCompared && <div className="stack stack-3">{facts}</div>}
    </>
  );
}
