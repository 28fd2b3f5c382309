import type pg from 'pg';
import type { Finding } from './finding.ts';

/** Longer than a commit waits for a standby that is there. */
const WAITS_LONG_AFTER_SECONDS = 5;

interface Replication {
  /** Commits in this database that have been waiting for long. */
  waiting: number;
  /** The standbys that commits have to wait for, and how many of them are connected; null if this user may not see that. */
  required: string;
  connected: number | null;
}

/**
 * Examines whether commits wait for a synchronous standby that is not there. A user without rights over statistics sees
 * the sessions of its own, which are those of Keepsake.
 */
export async function examineReplication(client: pg.Client): Promise<Finding[]> {
  const { rows } = await client.query<Replication>(
    `select (select count(*)::int from pg_stat_activity where datname = current_database() and wait_event = 'SyncRep'
         and state_change < clock_timestamp() - make_interval(secs => $1)) as waiting,
       case when current_setting('synchronous_commit') in ('off', 'local') then ''
         else current_setting('synchronous_standby_names') end as required,
       case when pg_has_role('pg_read_all_stats', 'usage') then
         (select count(*)::int from pg_stat_replication where sync_state in ('sync', 'quorum')) end as connected`,
    [WAITS_LONG_AFTER_SECONDS],
  );
  return rows.flatMap(describeReplication);
}

function describeReplication({ waiting, required, connected }: Replication): Finding[] {
  const isMissing = required.trim() !== '' && connected === 0;
  if (waiting === 0 && !isMissing) return [];
  const what = [
    isMissing && `No synchronous standby is connected (synchronous_standby_names: ${required}).`,
    waiting > 0 &&
      `${waiting} commits have been waiting for a synchronous standby for over ${WAITS_LONG_AFTER_SECONDS} s.`,
  ];
  return [
    {
      name: 'standbyMissing',
      what: what.filter(Boolean).join(' '),
      why: 'Nothing is acknowledged until one answers: pages, chat and offers stand still, and no time limit ends that.',
      remedy:
        "Start the standby again. To go on without one, in psql: ALTER SYSTEM SET synchronous_standby_names = ''; SELECT pg_reload_conf(); from then on the loss of this server can lose what was acknowledged.",
    },
  ];
}
