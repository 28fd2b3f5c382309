import { and, asc, eq, gt, inArray, ne, not, notExists, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { Reader, Tx } from '#db/database.ts';
import { alias, bigint, isAmong, lesser } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { attendances, channels, stamps } from '#db/schema/channel.ts';
import { attendanceBaselines, rules } from '#db/schema/rule.ts';
import { statement } from '#db/statement.ts';
import { asksForStreams, MAX_STAMPS, raffleAsksForStreams } from '#domain/condition/attendance.ts';
import {
  atLeast,
  inThousandths,
  isNoMore,
  type Rule,
  type StoredCondition,
  type StoredValue,
} from '#domain/condition/condition.ts';
import { startReading } from '#domain/condition/next-check.ts';
import { onChannel, onRule } from '#domain/condition/viewer-joins.ts';
import { inSlice, type ViewerSlice } from '#domain/kernel/viewer-slice.ts';

type Asked = Pick<Rule, 'attendedStreams' | 'ofLastStreams'>;

interface StreamFacts {
  /** All streams attended since the rule began; 0 for rules without this condition. */
  streamsAttended: number;
  /** Those among the last ones that the rule counts; 0 if it counts any. */
  streamsLately: number;
  /** True if enough of them were, at any time, among as many in a row. */
  streamsCloseEnough: boolean;
}

/** The streams that count for a rule, in a query over rules that joins the table and the baselines. */
const countedStreams = sql`coalesce(${attendances.streams}, 0) - coalesce(${attendanceBaselines.streams}, 0)`;

/** SQL for a viewer's number of the last stamp that does not count for a rule, in a query over rules. */
const baselineOf = (twitchId: SQLWrapper): SQL =>
  sql`coalesce((select ${attendanceBaselines.streams} from ${attendanceBaselines} where ${onRule(attendanceBaselines, twitchId)}), 0)`;

const first = alias(stamps, 'first_stamp');

/**
 * Matches viewers with as many stamps as a rule asks for among as many streams in a row as it allows, in a
 * query over rules. It stays true once it was.
 */
const areCloseEnough = (twitchId: SQLWrapper): SQL =>
  sql`exists (select 1 from ${stamps} inner join ${stamps} as ${first} on ${first.channelId} = ${stamps.channelId} and ${first.twitchId} = ${stamps.twitchId} and ${first.number} = ${stamps.number} - ${rules.attendedStreams} + 1 where ${onChannel(stamps, rules.channelId, twitchId)} and ${first.number} > ${baselineOf(twitchId)} and ${stamps.streamNumber} - ${first.streamNumber} < ${rules.ofLastStreams})`;

/** Evaluates only for rules with this condition. */
const ofAsking = (value: SQL): SQL =>
  sql`case when ${rules.attendedStreams} is not null then ${value} else 0 end`;

/**
 * Streams attended on the channel since the rule began, or enough of as many in a row. Missing one resets
 * nothing.
 */
export const attendedStreams = {
  key: 'streams',
  column: 'attendedStreams',
  columns: { attendedStreams: rules.attendedStreams, ofLastStreams: rules.ofLastStreams },
  bounds: { attendedStreams: { min: 1, max: MAX_STAMPS }, ofLastStreams: { min: 1, max: MAX_STAMPS } },
  isPaid: false,
  refusedElsewhere: null,
  impossible: {
    refusal: 'lastStreamsTooFew',
    isTrue: ({ attendedStreams: streams, ofLastStreams }: Asked): boolean =>
      ofLastStreams !== null && (streams === null || ofLastStreams < streams),
  },
  revocable: null,
  counting: {
    table: attendanceBaselines,
    startsAtZero: ({ attendedStreams: streams }: Asked): boolean => streams !== null,
    begin: startReading,
    start: startAttendance,
    // Viewers without an attendance have no baseline, so the rows do not show how far an opening came.
    reached: async () => null,
  },
  ownerFacts: {},
  list: null,
  table: attendances,
  value: attendances.streams,
  isWatched: false,
  isKnownBefore: false,
  comparison: atLeast,
  needed: ({ attendedStreams: streams }: Asked) => streams,
  neededInSql: () => sql`${rules.attendedStreams}`,
  nearness: sql<
    number | null
  >`case when ${rules.attendedStreams} is not null then ${lesser(sql`(${countedStreams}) * ${bigint(1000)} / ${rules.attendedStreams}`, bigint(1000))} end`,
  closeness: () => inThousandths(sql`(${countedStreams}) * ${bigint(1000)} / ${rules.attendedStreams}`),
  begun: gt(countedStreams, 0),
  exact: {
    inSql: () =>
      sql`(${rules.attendedStreams} is null or (${isMetBy(attendances.streams, twitchAccounts.twitchId)}))`,
    filter: meeting,
  },
  facts: (twitchId: SQLWrapper) => ({
    streamsAttended: ofAsking(
      sql`coalesce((select ${attendances.streams} from ${attendances} where ${onChannel(attendances, rules.channelId, twitchId)}), 0) - ${baselineOf(twitchId)}`,
    )
      .mapWith(Number)
      .as('streams_attended') as SQL.Aliased<number>,
    streamsLately: ofAsking(
      sql`(select count(*) from ${stamps} where ${onChannel(stamps, rules.channelId, twitchId)} and ${stamps.number} > ${baselineOf(twitchId)} and ${stamps.streamNumber} > (select ${channels.streamNumber} from ${channels} where ${channels.id} = ${rules.channelId}) - ${rules.ofLastStreams})`,
    )
      .mapWith(Number)
      .as('streams_lately') as SQL.Aliased<number>,
    streamsCloseEnough: ofAsking(sql`case when ${areCloseEnough(twitchId)} then 1 else 0 end`)
      .mapWith((found: unknown) => Number(found) === 1)
      .as('streams_close_enough') as SQL.Aliased<boolean>,
  }),
  isEased: (from: Asked, to: Asked) =>
    isNoMore(from.attendedStreams, to.attendedStreams) &&
    (to.ofLastStreams === null || (from.ofLastStreams !== null && to.ofLastStreams >= from.ofLastStreams)),
  records: { list: listAttendance, erase: deleteAttendance },
  progress({ attendedStreams: needStreams, ofLastStreams }: Asked, viewer: StreamFacts) {
    if (needStreams === null) return null;
    const { streamsAttended, streamsLately, streamsCloseEnough } = viewer;
    if (ofLastStreams === null)
      return {
        haveStreams: streamsAttended,
        needStreams,
        ofLastStreams,
        met: streamsAttended >= needStreams,
      };
    const haveStreams = streamsCloseEnough ? Math.max(streamsLately, needStreams) : streamsLately;
    return { haveStreams, needStreams, ofLastStreams, met: streamsCloseEnough };
  },
} as const satisfies StoredCondition;

const isMetBy = (streams: SQLWrapper, twitchId: SQLWrapper): SQL =>
  sql`${streams} - ${baselineOf(twitchId)} >= ${rules.attendedStreams} and (${rules.ofLastStreams} is null or ${areCloseEnough(twitchId)})`;

const meetingAmong = statement('attended_among', (q) =>
  q
    .select({ twitchId: attendances.twitchId })
    .from(rules)
    .innerJoin(attendances, eq(attendances.channelId, rules.channelId))
    .where(
      and(
        eq(rules.id, sql.placeholder('ruleId')),
        isAmong(attendances.twitchId, sql.placeholder('ids')),
        isMetBy(attendances.streams, attendances.twitchId),
      ),
    ),
);

/** Returns the viewers for whom enough streams count. */
async function meeting<Viewer extends StoredValue>(
  q: Reader,
  { id: ruleId, attendedStreams: needed }: Asked & { id: string },
  viewers: readonly Viewer[],
): Promise<readonly Viewer[]> {
  if (needed === null || viewers.length === 0) return viewers;
  const ids = JSON.stringify(viewers.map(({ twitchId }) => twitchId));
  const found = new Set((await meetingAmong(q, { ruleId, ids })).map(({ twitchId }) => twitchId));
  return viewers.filter(({ twitchId }) => found.has(twitchId));
}

/**
 * Stores what was attended before the rule. If no other rule counts the running stream, its time begins with
 * this rule: what was watched of it before is not known.
 */
async function startAttendance(tx: Tx, rule: Rule, slice: ViewerSlice): Promise<void> {
  const viewers = and(eq(attendances.channelId, rule.channelId), inSlice(slice, attendances.twitchId));
  await tx
    .insert(attendanceBaselines)
    .select(
      tx
        .select({
          ruleId: sql`cast(${rule.id} as text)`.as('rule_id'),
          twitchId: attendances.twitchId,
          streams: attendances.streams,
        })
        .from(attendances)
        .where(and(viewers, gt(attendances.streams, 0))) as never,
    )
    .onConflictDoUpdate({
      target: [attendanceBaselines.ruleId, attendanceBaselines.twitchId],
      set: { streams: sql`excluded.streams` },
    });
  const others = tx
    .select({ one: sql`1` })
    .from(rules)
    .where(and(eq(rules.channelId, rule.channelId), ne(rules.id, rule.id), asksForStreams));
  await tx
    .update(attendances)
    .set({ streamNumber: 0 })
    .where(
      and(
        viewers,
        eq(attendances.attended, false),
        notExists(others),
        not(raffleAsksForStreams(tx, rule.channelId)),
      ),
    );
}

/** Lists the streams attended: totals by channel, the last ones, and the totals before rules. */
async function listAttendance(q: Reader, userId: string) {
  const linked = eq(twitchAccounts.userId, userId);
  const attended = q
    .select({ id: attendances.channelId })
    .from(attendances)
    .innerJoin(twitchAccounts, eq(twitchAccounts.twitchId, attendances.twitchId))
    .where(linked);
  const totals = await q
    .select({
      channelId: attendances.channelId,
      channel: channels.login,
      streams: attendances.streams,
      streamNumber: attendances.streamNumber,
      fromSeconds: attendances.fromSeconds,
      attended: attendances.attended,
    })
    .from(attendances)
    .innerJoin(twitchAccounts, eq(twitchAccounts.twitchId, attendances.twitchId))
    .leftJoin(channels, eq(channels.id, attendances.channelId))
    .where(linked)
    .orderBy(asc(attendances.channelId));
  const lastAttended = await q
    .select({ channelId: stamps.channelId, number: stamps.number, streamNumber: stamps.streamNumber })
    .from(stamps)
    .innerJoin(twitchAccounts, eq(twitchAccounts.twitchId, stamps.twitchId))
    .where(and(linked, inArray(stamps.channelId, attended)))
    .orderBy(asc(stamps.channelId), asc(stamps.number));
  const attendedBeforeRules = await q
    .select({ ruleId: attendanceBaselines.ruleId, streams: attendanceBaselines.streams })
    .from(attendanceBaselines)
    .innerJoin(twitchAccounts, eq(twitchAccounts.twitchId, attendanceBaselines.twitchId))
    .innerJoin(rules, eq(rules.id, attendanceBaselines.ruleId))
    .where(and(linked, inArray(rules.channelId, attended)))
    .orderBy(asc(attendanceBaselines.ruleId));
  return { attendedStreams: totals, lastAttendedStreams: lastAttended, attendedBeforeRules };
}

async function deleteAttendance(tx: Tx, twitchId: string): Promise<void> {
  const attended = tx
    .select({ id: attendances.channelId })
    .from(attendances)
    .where(eq(attendances.twitchId, twitchId));
  const rulesThere = tx.select({ id: rules.id }).from(rules).where(inArray(rules.channelId, attended));
  await tx
    .delete(attendanceBaselines)
    .where(and(inArray(attendanceBaselines.ruleId, rulesThere), eq(attendanceBaselines.twitchId, twitchId)));
  await tx.delete(stamps).where(and(inArray(stamps.channelId, attended), eq(stamps.twitchId, twitchId)));
  await tx.delete(attendances).where(eq(attendances.twitchId, twitchId));
}
