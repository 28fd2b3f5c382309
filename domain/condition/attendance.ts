import { and, eq, exists, isNotNull, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { Reader, Tx } from '#db/database.ts';
import { bigint, isAmong, listOf, numberAt, valueAt, within } from '#db/dialect.ts';
import { attendances, channels, stamps, watchTimes } from '#db/schema/channel.ts';
import { liveRaffleStates, raffles } from '#db/schema/raffle.ts';
import { liveRuleStates, rules } from '#db/schema/rule.ts';
import { statement } from '#db/statement.ts';
import { insertManyInto } from '#db/write.ts';
import { minute, second } from '#domain/kernel/time.ts';
import { crossingOf, watched, whoIsDue } from '#domain/watch-time/watched.ts';

/** A stream is attended after this much watch time in it. */
export const ATTENDED_AFTER_SECONDS = (10 * minute) / second;

/** The most stamps stored of each viewer; no rule looks further back. */
export const MAX_STAMPS = 50;

/** Matches rules that are not closed and ask for streams. */
export const asksForStreams = and(within(rules.state, liveRuleStates), isNotNull(rules.attendedStreams));

/** SQL for whether a raffle that is not drawn yet asks for streams on a channel: its rule is closed. */
export const raffleAsksForStreams = (q: Reader, channelId: SQLWrapper | string): SQL =>
  exists(
    q
      .select({ one: sql`1` })
      .from(raffles)
      .innerJoin(rules, eq(rules.id, raffles.ruleId))
      .where(
        and(
          eq(raffles.channelId, channelId as never),
          within(raffles.state, liveRaffleStates),
          isNotNull(rules.attendedStreams),
        ),
      ),
  );

/** SQL for whether attendance is counted on a channel, in a query over channels. */
export function countsStreams(q: Reader): SQL<boolean> {
  const asking = q
    .select({ one: sql`1` })
    .from(rules)
    .where(and(eq(rules.channelId, channels.id), asksForStreams));
  return sql`(${exists(asking)} or ${raffleAsksForStreams(q, channels.id)})`.mapWith(Boolean);
}

/**
 * SQL for the total of watch time at which a viewer will have attended the stream in which they were last
 * present, in a query over watch times; null if they need no check for it.
 */
export function nextStampSeconds(q: Reader): SQL {
  const reached = sql`${attendances.fromSeconds} + ${bigint(ATTENDED_AFTER_SECONDS)}`;
  const next = q
    .select({ at: reached })
    .from(attendances)
    .where(
      and(
        eq(attendances.channelId, watchTimes.channelId),
        eq(attendances.twitchId, watchTimes.twitchId),
        eq(attendances.attended, false),
        sql`${reached} > ${watched}`,
      ),
    );
  return sql`(${next})`;
}

/** The viewers who were present for an interval of a stream, which was credited to them already. */
interface Presence {
  channelId: string;
  streamNumber: number;
  twitchIds: readonly string[];
  seconds: number;
}

/**
 * Counts an interval of a stream for its attendance, in the transaction that credits it: so a stamp depends
 * on nothing that a crash could lose. Writes only about viewers who are new in the stream, and those who
 * reach the time needed in it; these are due for evaluation then.
 */
export async function countAttendance(tx: Tx, { twitchIds, seconds, ...stream }: Presence): Promise<void> {
  const begun = await begin(tx, { ...stream, twitchIds: JSON.stringify(twitchIds), seconds });
  if (begun.length > 0) {
    const { channelId } = stream;
    await lowerChecks(tx, {
      channelId,
      twitchIds: JSON.stringify(begun.map((row) => row.twitchId)),
      seconds,
    });
  }
  const stamped = await stamp(tx, stream);
  if (stamped.length === 0) return;
  await insertStamps(
    tx,
    stamped.map(({ twitchId, number }) => ({ ...stream, twitchId, number })),
  );
  const full = stamped.filter(({ number }) => number > MAX_STAMPS);
  if (full.length > 0)
    await dropOldest(tx, {
      channelId: stream.channelId,
      twitchIds: JSON.stringify(full.map(({ twitchId }) => twitchId)),
    });
}

const { channelId, twitchId, streamNumber } = attendances;

/** Begins the stream for those who were not present in it before. */
const begin = statement('attendances_begun', (tx) =>
  tx
    .insert(attendances)
    .select(
      sql`select ${valueAt(channelId, 'channelId')}, present.value, 0, ${numberAt('streamNumber')}, ${watched} - ${numberAt('seconds')}, false from ${listOf(sql.placeholder('twitchIds'), 'present')} inner join ${watchTimes} on ${watchTimes.channelId} = ${sql.placeholder('channelId')} and ${watchTimes.twitchId} = present.value left join ${attendances} on ${channelId} = ${sql.placeholder('channelId')} and ${twitchId} = present.value where ${twitchId} is null or ${streamNumber} <> ${numberAt('streamNumber')}` as never,
    )
    .onConflictDoUpdate({
      target: [channelId, twitchId],
      set: {
        streamNumber: sql`excluded.stream_number`,
        fromSeconds: sql`excluded.from_seconds`,
        attended: sql`excluded.attended`,
      },
    })
    .returning({ twitchId }),
);

const lowerChecks = statement('attendance_checks', (tx) => {
  const reached = sql`${watched} - ${numberAt('seconds')} + ${bigint(ATTENDED_AFTER_SECONDS)}`;
  return tx
    .update(watchTimes)
    .set({ nextCheckSeconds: reached, crossAt: crossingOf(reached) })
    .where(
      and(
        eq(watchTimes.channelId, sql.placeholder('channelId')),
        isAmong(watchTimes.twitchId, sql.placeholder('twitchIds')),
        sql`${watchTimes.nextCheckSeconds} > ${reached}`,
      ),
    );
});

/** Stamps those who have reached the time needed: all of them are due. */
const stamp = statement('attendances_stamped', (tx) => {
  const reached = whoIsDue(tx, sql.placeholder('channelId'));
  const seconds = tx
    .select({ seconds: watched })
    .from(watchTimes)
    .where(and(eq(watchTimes.channelId, channelId), eq(watchTimes.twitchId, twitchId)));
  return tx
    .update(attendances)
    .set({ attended: true, streams: sql`${attendances.streams} + 1` })
    .where(
      and(
        eq(channelId, sql.placeholder('channelId')),
        sql`${twitchId} in ${reached}`,
        eq(streamNumber, numberAt('streamNumber')),
        eq(attendances.attended, false),
        sql`${seconds} >= ${attendances.fromSeconds} + ${bigint(ATTENDED_AFTER_SECONDS)}`,
      ),
    )
    .returning({ twitchId, number: attendances.streams });
});

const insertStamps = insertManyInto(stamps, 'stamps');

const dropOldest = statement('stamps_dropped', (tx) => {
  const total = tx
    .select({ streams: attendances.streams })
    .from(attendances)
    .where(and(eq(channelId, stamps.channelId), eq(twitchId, stamps.twitchId)));
  return tx
    .delete(stamps)
    .where(
      and(
        eq(stamps.channelId, sql.placeholder('channelId')),
        isAmong(stamps.twitchId, sql.placeholder('twitchIds')),
        sql`${stamps.number} <= ${total} - ${bigint(MAX_STAMPS)}`,
      ),
    );
});
