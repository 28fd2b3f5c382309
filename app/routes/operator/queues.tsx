import { SectionHead } from '#app/components/shell/page-head.tsx';
import { Sheet } from '#app/components/shell/sheet.tsx';
import { useNumberText } from '#app/components/text/amounts.tsx';
import { LocalTime } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { NamedQueue } from '#app/routes/operator/operator-queues.server.ts';
import type { DoubtfulSend } from '#domain/operator/list-doubtful-sends.ts';
import { joined } from '#platform/isolated.ts';
import { useAgeText } from './age-text.ts';

/** Shows why something in a queue was not done, when it is retried, and the number that was given up. */
function QueueNotes({ queue: { problem, retryAtMs, givenUp } }: { queue: NamedQueue }) {
  const { t, has } = useTranslation();
  const key = `transfers.error.${problem}`;
  return (
    <>
      {problem !== null &&
        (has(key) ? (
          <span className="op-note">{t(key as 'transfers.error.unknown')}</span>
        ) : (
          <span className="op-note" lang="en">
            {problem}
          </span>
        ))}
      {retryAtMs !== null && (
        <span className="op-note">
          {t('operator.retry')} <LocalTime ms={retryAtMs} />.
        </span>
      )}
      {givenUp > 0 && <span className="op-note">{t('operator.queues.givenUp', { count: givenUp })}</span>}
    </>
  );
}

/** The queues, each with the age of its oldest entry. */
export function Queues({ queues }: { queues: readonly NamedQueue[] }) {
  const { t } = useTranslation();
  const [number, age] = [useNumberText(), useAgeText()];
  return (
    <Sheet
      title={t('operator.queues.title')}
      aside={<span className="s13 muted">{t('operator.queues.columns')}</span>}
      rows
    >
      <dl>
        {queues.map((queue) => (
          <div key={queue.name} className={queue.slow ? 'op-queue op-queue--slow' : 'op-queue'}>
            <dt>
              {t(`operator.queues.name.${queue.name}`)}
              <QueueNotes queue={queue} />
            </dt>
            <dd>
              <b>{number(queue.waiting)}</b>
              <span>{queue.ageMs === null ? '–' : age(queue.ageMs)}</span>
            </dd>
          </div>
        ))}
      </dl>
    </Sheet>
  );
}

/** Offers that may or may not exist. They are looked for before anything is sent again. */
export function DoubtfulSends({ sends }: { sends: readonly DoubtfulSend[] }) {
  const { t } = useTranslation();
  if (sends.length === 0) return null;
  return (
    <section>
      <SectionHead
        title={t('operator.doubtful.title')}
        aside={<span className="s13 muted">{t('operator.doubtful.aside')}</span>}
      />
      <div className="sheet rows">
        {sends.map((send) => (
          <div key={send.transferId} className="op-doubt">
            <div>
              <p className="strong">{joined(send.items, ', ')}</p>
              <p className="s13 muted">
                {t(`operator.doubtful.kind.${send.kind}`, { name: send.name })} · {send.botId} ·{' '}
                <code>{send.securityCode}</code>
              </p>
            </div>
            <p className="s13">
              {t('operator.doubtful.looks', { count: send.looks })} {t('operator.doubtful.next')}{' '}
              <LocalTime ms={send.nextLookAtMs} style="time" />.
            </p>
          </div>
        ))}
      </div>
    </section>
  );
}
