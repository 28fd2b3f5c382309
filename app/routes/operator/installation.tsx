import { Badge } from '#app/components/feedback/badge.tsx';
import { CircleAlert, CircleCheck } from '#app/components/icons/signs.ts';
import { Sheet } from '#app/components/shell/sheet.tsx';
import { useNumberText } from '#app/components/text/amounts.tsx';
import { LocalTime } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { OperatorState } from '#app/routes/operator/operator-state.server.ts';

type Attempt = NonNullable<OperatorState['backups']>['backup'];

const MEGABYTE = 1_000_000;
const DAY_MS = 86_400_000;

function Ended({ attempt }: { attempt: Attempt }) {
  const { t } = useTranslation();
  if (!attempt) return t('operator.never');
  return (
    <>
      <LocalTime ms={attempt.atMs} />
      {attempt.problem !== null && (
        <span className="op-note" lang="en">
          {attempt.problem}
        </span>
      )}
    </>
  );
}

/** A backup counts only with the drill that restored one. */
function DrillBadge({ drill }: { drill: Attempt }) {
  const { t } = useTranslation();
  const proven = drill?.problem === null;
  return (
    <Badge type={proven ? 'success' : 'warning'} icon={proven ? CircleCheck : CircleAlert}>
      {t(proven ? 'operator.backups.proven' : 'operator.backups.unproven')}
    </Badge>
  );
}

/** The times and results of the last backup and the last drill. */
export function Backups({
  backups,
  database,
  isKnown,
}: Pick<OperatorState, 'backups' | 'database'> & { isKnown: boolean }) {
  const { t } = useTranslation();
  const number = useNumberText();
  if (!backups)
    return (
      <Sheet title={t('operator.backups.title')}>
        <p className="muted">
          {t(isKnown && database === 'PostgreSQL' ? 'operator.backups.postgres' : 'operator.backups.unknown')}
        </p>
      </Sheet>
    );
  const { backup, drill, saved } = backups;
  const sizeOf = (bytes: number) =>
    number(bytes / MEGABYTE, { maximumFractionDigits: bytes < 10 * MEGABYTE ? 1 : 0 });
  return (
    <Sheet title={t('operator.backups.title')} aside={<DrillBadge drill={drill} />}>
      <dl className="kv">
        <dt>{t('operator.backups.newest')}</dt>
        <dd>
          <Ended attempt={backup} />
          {saved?.bytes != null && ` · ${sizeOf(saved.bytes)} ${t('operator.backups.megabytes')}`}
        </dd>
        {saved && (
          <>
            <dt>{t('operator.backups.saved')}</dt>
            <dd>{number(saved.count)}</dd>
          </>
        )}
        <dt>{t('operator.backups.drill')}</dt>
        <dd>
          <Ended attempt={drill} />
        </dd>
        {backup?.problem === null && (
          <>
            <dt>{t('operator.backups.next')}</dt>
            <dd>
              <LocalTime ms={backup.atMs + DAY_MS} />
            </dd>
          </>
        )}
      </dl>
      <p className="s13 muted">{t('operator.backups.how')}</p>
    </Sheet>
  );
}

/** The number of items, and whether they agreed with the ledger when all were last compared. */
function Ledger({ ledger: { items, audit } }: Pick<OperatorState, 'ledger'>) {
  const { t } = useTranslation();
  const number = useNumberText();
  const count = t('operator.version.items', { count: items, items: number(items) });
  if (!audit) return `${count}, ${t('operator.version.unaudited')}`;
  const result =
    audit.drifts === 0
      ? t('operator.version.agrees')
      : t('operator.version.differs', { count: audit.drifts });
  return (
    <>
      {count}. {result} <LocalTime ms={audit.atMs} />
    </>
  );
}

/** The running version, and since when it runs. */
export function VersionSheet({
  version,
  database,
  schema,
  ledger,
  webSinceMs,
  botSinceMs,
  forwardedFor,
}: Pick<OperatorState, 'version' | 'database' | 'schema' | 'ledger'> & {
  webSinceMs: number;
  botSinceMs: number | null;
  /** X-Forwarded-For as it arrived with this request; null without one. */
  forwardedFor: string | null;
}) {
  const { t } = useTranslation();
  return (
    <Sheet title={t('operator.version.title')}>
      <dl className="kv">
        <dt>{t('operator.version.running')}</dt>
        <dd>
          {version.version}
          {version.build !== null && (
            <>
              {' '}
              · <code>{version.build}</code>
            </>
          )}
        </dd>
        <dt>{t('operator.version.database')}</dt>
        <dd>{t('operator.version.schema', { database, schema })}</dd>
        <dt>{t('operator.version.ledger')}</dt>
        <dd>
          <Ledger ledger={ledger} />
        </dd>
        <dt>{t('operator.version.web')}</dt>
        <dd>
          <LocalTime ms={webSinceMs} />
        </dd>
        <dt>{t('operator.version.bot')}</dt>
        <dd>{botSinceMs === null ? t('operator.version.silent') : <LocalTime ms={botSinceMs} />}</dd>
        <dt>{t('operator.version.proxies')}</dt>
        <dd>{forwardedFor === null ? t('operator.version.unforwarded') : <code>{forwardedFor}</code>}</dd>
      </dl>
      <p className="s13 muted">{t('operator.version.doctor')}</p>
    </Sheet>
  );
}
