import { second } from '#domain/kernel/time.ts';
import type { BotTransfer } from '#domain/transfer/list-bot-transfers.ts';
import { steadyMs } from '#platform/steady-time.ts';
import type { TransferPace } from './transfer-work.ts';

type Pauses = Pick<TransferPace, 'absenceMs' | 'interruptedMs'>;

/** The usual interval at which uncertain offers are looked for. */
export const searchEveryMs = ({ absenceMs }: Pauses): number => Math.min(10 * second, absenceMs);

type Named = Pick<BotTransfer, 'id' | 'kind' | 'attempts'>;

/** Names an attempt: nothing known of one says anything of the next, which another process may have made. */
const keyOf = ({ id, attempts }: Named): string => `${id} ${attempts}`;

/** Tracks when this process polled Steam for each uncertain offer, and how long it waits for the next poll. Steady time. */
export class Polls {
  readonly #pace: Pauses;
  readonly #polledAtMs = new Map<string, number>();
  readonly #interrupted = new Set<string>();

  constructor(pace: Pauses) {
    this.#pace = pace;
  }

  /** Remembers that the offer was being sent when its process ended, and that none of what that asked of Steam lasts longer. */
  wasInterrupted(transfer: Named): void {
    this.#interrupted.add(keyOf(transfer));
  }

  isPolled(transfer: Named): boolean {
    return this.#polledAtMs.has(keyOf(transfer));
  }

  begin(transfer: Named): void {
    this.#polledAtMs.set(keyOf(transfer), steadyMs());
  }

  /** Forgets all attempts but these. */
  clearOthers(uncertain: readonly Named[]): void {
    const keys = new Set(uncertain.map(keyOf));
    for (const key of this.#polledAtMs.keys()) if (!keys.has(key)) this.#polledAtMs.delete(key);
    for (const key of this.#interrupted) if (!keys.has(key)) this.#interrupted.delete(key);
  }

  /** The pause between two polls. A late deposit cannot be held back, because only its partner confirms it. */
  pauseMs(transfer: Named): number {
    const isSoon = this.#interrupted.has(keyOf(transfer)) && transfer.kind !== 'deposit';
    return isSoon ? this.#pace.interruptedMs : this.#pace.absenceMs;
  }

  /** Milliseconds until a transfer is polled for again; 0 if it has not been yet. */
  leftMs(transfer: Named): number {
    const polledAtMs = this.#polledAtMs.get(keyOf(transfer));
    return polledAtMs === undefined ? 0 : Math.max(0, polledAtMs + this.pauseMs(transfer) - steadyMs());
  }

  /** Milliseconds until a poll that comes before the usual interval of searches has passed; 0 if none does. */
  nextMs(uncertain: readonly Named[]): number {
    const left = uncertain.map((each) => this.leftMs(each)).filter((ms) => ms > 0);
    const nextMs = Math.min(...left);
    return nextMs < searchEveryMs(this.#pace) ? nextMs : 0;
  }
}
