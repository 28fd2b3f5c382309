import { askPostgres } from '#tests/support/ask-postgres.ts';
import type { startPgbouncer } from '#tests/support/pgbouncer.ts';
import type { startPostgresServers } from '#tests/support/postgres-servers.ts';
import { untilDone } from '#tests/support/until-done.ts';

type Servers = Awaited<ReturnType<typeof startPostgresServers>>;
type Pooler = Awaited<ReturnType<typeof startPgbouncer>>;

/** The database as the product reaches it: through the pooler, HAProxy and one of two servers. */
export class Database {
  readonly #servers: Servers;
  readonly #pooler: Pooler;

  constructor(servers: Servers, pooler: Pooler) {
    this.#servers = servers;
    this.#pooler = pooler;
  }

  failOver = (): Promise<void> => this.#servers.failOver();
  addStandby = (): Promise<void> => this.#servers.addStandby();
  restartPooler = (): Promise<void> => this.#pooler.restart();

  /** Returns once a transaction can be written by the way of the product. */
  untilWritable = (): Promise<unknown> =>
    untilDone(() => askPostgres(this.#pooler.url, 'select pg_current_xact_id()'));
}
