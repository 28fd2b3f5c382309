import { setTimeout as delay } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';
import type { Tx } from '#db/database.ts';
import { isConnectionLoss } from '#db/passing-failure.ts';
import { named } from '#db/statement.ts';
import { beginSending, endSending, failedWrite } from './sent-writes.ts';
import { limitQuery, type TimeLimits } from './time-limits.ts';

/** The id of an event that the transaction wrote. If the event exists, the transaction was committed. */
const witness = Symbol('witness');
type Session = Tx & { [witness]?: string | undefined };

type Work<T> = (tx: Tx) => Promise<T>;

interface Options {
  /** Sent together with `begin`, so it may do nothing that lasts if that fails: a lock of the transaction. */
  first?: Work<unknown>;
}

/** Names an event of this transaction as the proof of its commit, should the answer to the commit be lost. */
export function witnessCommit(tx: Tx, eventId: string | undefined): void {
  if (eventId) (tx as Session)[witness] = eventId;
}

/**
 * Runs transactions on pooled connections. Each connection keeps its drizzle handle so that prepared
 * statements are reused. Writes are sent without waiting for their answers; the transaction throws the error
 * of the first that fails. A connection that fails to roll back is closed. When the answer to a commit is
 * lost, the transaction counts as committed if the event it wrote exists; otherwise the error is thrown and
 * nothing is repeated. `limits` are set in each transaction if its connection cannot have them.
 */
export function pooledTransactions(
  pool: Pool,
  handleFor: (client: PoolClient) => object,
  limits: TimeLimits | null = null,
): <T>(work: Work<T>, options?: Options) => Promise<T> {
  const plainBegin = 'begin isolation level read committed';
  const begin = limits ? `${plainBegin}; ${limitQuery(limits, 'transaction')}` : plainBegin;
  const handles = new WeakMap<PoolClient, Session>();
  const handleOf = (client: PoolClient): Session => {
    const known = handles.get(client);
    if (known) return known;
    const made = named(handleFor(client) as unknown as Session);
    handles.set(client, made);
    return made;
  };
  const run = async <T>(work: Work<T>, first?: Work<unknown>): Promise<Ended<T>> => {
    const client = await pool.connect();
    let broken: Error | undefined;
    try {
      const handle = handleOf(client);
      handle[witness] = undefined;
      await Promise.all([client.query(begin), first?.(handle)]);
      beginSending(client);
      const value = await work(handle);
      throwKnownFailure(client);
      const answer = await client.query('commit').catch((error: Error) => error);
      throwKnownFailure(client);
      if (answer instanceof Error) {
        if (!isConnectionLoss(answer)) throw answer;
        broken = answer;
        return { value, lost: answer, eventId: handle[witness] };
      }
      // PostgreSQL answers COMMIT of an aborted transaction with ROLLBACK and no error.
      if (answer.command !== 'COMMIT')
        throw new Error(
          'the transaction was rolled back instead of committed: a statement in it failed, and its error was caught',
        );
      return { value };
    } catch (error) {
      if (!isConnectionLoss(failedWrite(client) ?? error))
        await client.query('rollback').catch((reason: Error) => {
          broken = reason;
        });
      // A write that was only sent may be why, and is answered by now. Its stack leads to the socket.
      const failed = failedWrite(client);
      if (failed) Error.captureStackTrace(failed);
      const reason = failed ?? error;
      // One that leads to a server which was demoted would answer ROLLBACK, and refuse every write after it.
      if (isConnectionLoss(reason)) broken = reason as Error;
      throw reason;
    } finally {
      endSending(client);
      client.release(broken);
    }
  };
  return async (work, { first } = {}) => {
    const { value, lost, eventId } = await run(work, first);
    if (lost && !(eventId && (await existsAfterLoss(pool, eventId)))) throw lost;
    return value;
  };
}

/** Throws if a write has failed; the loss of a connection says nothing of the writes that it left unanswered. */
function throwKnownFailure(client: PoolClient): void {
  const failed = failedWrite(client);
  if (failed && !isConnectionLoss(failed)) throw failed;
}

/** A transaction whose commit was answered, or whose answer was lost. */
interface Ended<T> {
  value: T;
  lost?: Error;
  eventId?: string | undefined;
}

/** For how long a lost commit's event is looked for while no server answers: a failover by others may take half a minute. */
const SEARCH_FOR_MS = 30_000;
/** From when on it counts as never committed: a server that has just taken over may show it a moment later. */
const BELIEVE_ABSENCE_AFTER_MS = 7_500;
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [250, 2_000];

/**
 * Looks for an event on new connections, for a while: a commit that waits for a standby may become visible after the
 * connection was lost. Whatever goes wrong meanwhile says nothing of the commit: a server that starts, a pool without a
 * free connection, a name that does not resolve.
 */
async function existsAfterLoss(pool: Pool, eventId: string): Promise<boolean> {
  const endMs = performance.now() + SEARCH_FOR_MS;
  let absentSinceMs = Number.POSITIVE_INFINITY;
  for (
    let pauseMs = FIRST_PAUSE_MS;
    performance.now() < endMs;
    pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)
  ) {
    const found = await pool.query('select 1 from events where id = $1', [eventId]).then(
      ({ rowCount }) => rowCount === 1,
      () => null,
    );
    if (found) return true;
    if (found === false) absentSinceMs = Math.min(absentSinceMs, performance.now());
    if (performance.now() - absentSinceMs >= BELIEVE_ABSENCE_AFTER_MS) return false;
    await delay(pauseMs);
  }
  return false;
}
