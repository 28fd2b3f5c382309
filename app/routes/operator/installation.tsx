import { Badge } from '#app/components/feedback/badge.tsx';
import { CircleAlert, CircleCheck } from '#app/components/icons/signs.ts';
import { Sheet } from '#app/components/shell/sheet.tsx';
import { LocalTime } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { OperatorState } from '#app/services/operator-state.server.ts';

type Attempt = NonNullable<OperatorState['backups']>['backup'];

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

/** When the last backup and drill were made, and how they ended. */
export function Backups({
  backups,
  database,
  isKnown,
}: Pick<OperatorState, 'backups' | 'database'> & { isKnown: boolean }) {
  const { t } = useTranslation();
  if (!backups)
    return (
      <Sheet title={t('operator.backups.title')}>
        <p className="muted">
          {t(isKnown && database === 'PostgreSQL' ? 'operator.backups.postgres' : 'operator.backups.unknown')}
        </p>
      </Sheet>
    );
  return (
    <Sheet title={t('operator.backups.title')} aside={<DrillBadge drill={backups.drill} />}>
      <dl className="kv">
        <dt>{t('operator.backups.newest')}</dt>
        <dd>
          <Ended attempt={backups.backup} />
        </dd>
        <dt>{t('operator.backups.drill')}</dt>
        <dd>
          <Ended attempt={backups.drill} />
        </dd>
      </dl>
      <p className="s13 muted">{t('operator.backups.how')}</p>
    </Sheet>
  );
}

/** What runs, and since when. */
export function VersionSheet({
  version,
  database,
  webSinceMs,
  botSinceMs,
}: Pick<OperatorState, 'version' | 'database'> & { webSinceMs: number; botSinceMs: number | null }) {
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
        <dd>{database}</dd>
        <dt>{t('operator.version.web')}</dt>
        <dd>
          <LocalTime ms={webSinceMs} />
        </dd>
        <dt>{t('operator.version.bot')}</dt>
        <dd>{botSinceMs === null ? t('operator.version.silent') : <LocalTime ms={botSinceMs} />}</dd>
      </dl>
      <p className="s13 muted">{t('operator.version.doctor')}</p>
    </Sheet>
  );
}
