import { Badge } from '#app/components/feedback/badge.tsx';
import { ConfirmDialog } from '#app/components/feedback/confirm.tsx';
import { MonitorCheck } from '#app/components/icons/signs.ts';
import { Table } from '#app/components/lists/table.tsx';
import { Sheet } from '#app/components/shell/sheet.tsx';
import { LocalTime } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';

/** A signed-in browser, as its user agent describes it. */
export type ShownSession = {
  id: string;
  browser: string | null;
  system: string | null;
  createdAtMs: number;
  lastSeenAtMs: number;
  current: boolean;
};

type Named = Pick<ShownSession, 'browser' | 'system'>;

/** A browser's name as people know it: "Firefox on Windows". */
export function useBrowserName(): (session: Named) => string {
  const { t } = useTranslation();
  return ({ browser, system }) => {
    const name = browser ?? t('settings.sessions.unknownBrowser');
    return system ? t('settings.sessions.named', { browser: name, system }) : name;
  };
}

/** The confirmation before another browser is signed out, on its page and in its dialog. */
export function useEndQuestion() {
  const { t } = useTranslation();
  const nameOf = useBrowserName();
  return (session: Named) => ({
    title: t('settings.sessions.question', { name: nameOf(session) }),
    text: t('settings.sessions.text'),
    act: t('settings.sessions.end', { name: nameOf(session) }),
    keep: t('settings.sessions.keep'),
    destructive: true,
  });
}

/** The question before signing out all other browsers. */
export function useEndAllQuestion() {
  const { t } = useTranslation();
  return (count: number) => ({
    title: t('settings.sessions.questionAll', { count }),
    text: t('settings.sessions.textAll'),
    act: t('settings.sessions.endAll'),
    keep: t('settings.sessions.keepAll'),
    destructive: true,
  });
}

function SessionTable({ sessions }: { sessions: readonly ShownSession[] }) {
  const { t } = useTranslation();
  const nameOf = useBrowserName();
  const question = useEndQuestion();
  return (
    <Table
      caption={t('settings.sessions.title')}
      rows={sessions}
      rowKey={({ id }) => id}
      columns={[
        {
          key: 'browser',
          label: t('settings.sessions.browser'),
          cell: nameOf,
        },
        {
          key: 'since',
          label: t('settings.sessions.since'),
          cell: ({ createdAtMs }) => <LocalTime ms={createdAtMs} />,
        },
        {
          key: 'seen',
          label: t('settings.sessions.lastSeen'),
          cell: ({ lastSeenAtMs }) => <LocalTime ms={lastSeenAtMs} />,
        },
        {
          key: 'end',
          label: t('settings.sessions.act'),
          unnamed: true,
          cell: (session) =>
            session.current ? (
              <Badge type="accent" icon={MonitorCheck}>
                {t('settings.sessions.here')}
              </Badge>
            ) : (
              <ConfirmDialog
                {...question(session)}
                page={`/settings/sessions/${session.id}/end`}
                opener={t('settings.sessions.act')}
                openerClass="btn btn--quiet btn--small"
                openerLabel={t('settings.sessions.end', { name: nameOf(session) })}
              />
            ),
        },
      ]}
    />
  );
}

/** The browsers that are signed in; each other one can be signed out, or all of them at once. */
export function Sessions({ sessions }: { sessions: readonly ShownSession[] }) {
  const { t } = useTranslation();
  const questionAll = useEndAllQuestion();
  const others = sessions.filter(({ current }) => !current).length;
  return (
    <Sheet title={t('settings.sessions.title')} rows>
      <SessionTable sessions={sessions} />
      <div className="sheet__pad stack stack-2">
        <p className="s13 muted">{t('settings.sessions.limits')}</p>
        {others > 0 ? (
          <div className="line">
            <ConfirmDialog
              {...questionAll(others)}
              page="/settings/sessions/end"
              opener={t('settings.sessions.endAll')}
            />
          </div>
        ) : (
          <p className="muted">{t('settings.sessions.alone')}</p>
        )}
      </div>
    </Sheet>
  );
}
