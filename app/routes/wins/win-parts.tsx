import { Form } from 'react-router';
import { Code } from '#app/components/feedback/code.tsx';
import { SubmitButton } from '#app/components/forms/button.tsx';
import { Timeline, type TimelineStep } from '#app/components/lists/timeline.tsx';
import { ProofLink } from '#app/components/rules/proof-link.tsx';
import { SectionHead } from '#app/components/shell/page-head.tsx';
import { LocalTime } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { Win } from '#domain/view/get-win.ts';

/** The steps from the promise to the end of Steam's protection time. */
export function Steps({ win }: { win: Win }) {
  const { t } = useTranslation();
  const { status, promisedAtMs, deliveredAtMs, settlesAtMs, drawNumber, ruleId, own } = win;
  const steps: TimelineStep[] = [
    {
      key: 'promised',
      label: t('win.promised'),
      state: 'done',
      time: <LocalTime ms={promisedAtMs} />,
      note: drawNumber !== null && (
        <>
          {t('win.drawn')} <ProofLink ruleId={ruleId} number={drawNumber} />
        </>
      ),
    },
  ];
  if (own?.offer) {
    const { sentAtMs, bot, securityCode: code } = own.offer;
    steps.push({
      key: 'sent',
      label: t('win.offerSent'),
      state: 'done',
      time: <LocalTime ms={sentAtMs} />,
      note: t('win.offerNote', { bot, code }),
    });
  }
  steps.push({
    key: 'delivered',
    label: t('win.delivered'),
    state: 'done',
    time: <LocalTime ms={deliveredAtMs} />,
  });
  if (status === 'reversed') steps.push({ key: 'end', label: t('history.status.reversed'), state: 'done' });
  else if (settlesAtMs !== null)
    steps.push({
      key: 'final',
      label: t('win.final'),
      state: status === 'final' ? 'done' : 'now',
      time: <LocalTime ms={settlesAtMs} />,
      note: status === 'final' ? null : t('win.finalNote'),
    });
  return (
    <section>
      <SectionHead title={t(own ? 'win.howYours' : 'win.how')} />
      <div className="sheet sheet__pad">
        <Timeline steps={steps} />
      </div>
    </section>
  );
}

/** The viewer's choice whether this and other public pages name them. */
function NameChoice({ id, hidesName }: { id: string; hidesName: boolean }) {
  const { t } = useTranslation();
  const action = '/settings/public-name';
  return (
    <Form method="post" action={action} className="stack stack-3 ruled">
      <input type="hidden" name="win" value={id} />
      {!hidesName && <input type="hidden" name="hides_name" value="on" />}
      <p className="s13">
        {t(hidesName ? 'win.unnamed' : 'win.named')} <span className="muted">{t('win.nameNote')}</span>
      </p>
      <div>
        <SubmitButton kind="secondary" size="small" formAction={action}>
          {t(hidesName ? 'win.showName' : 'win.hideName')}
        </SubmitButton>
      </div>
    </Form>
  );
}

/** The picture and the address of the page, and whether they name the viewer. */
export function Share({ win, address }: { win: Win; address: string }) {
  const { t, language } = useTranslation();
  const { item, channel, own, viewerName } = win;
  // Another address when the name changes: the browser would show the old picture for some minutes.
  const picture = `/share/${language}/wins/${win.id}.png?${viewerName === null ? 'a' : 'b'}`;
  return (
    <aside className="aside" id="share">
      <SectionHead title={t('win.share')} />
      <div className="sheet sheet__pad stack">
        <img
          className="win__picture"
          src={picture}
          width="1200"
          height="630"
          alt={t('win.picture', { item: item.name, channel: channel.displayName })}
          loading="lazy"
        />
        <Code>{address}</Code>
        <div>
          <a className="btn btn--secondary btn--small" href={picture} download={`keepsake-${win.id}.png`}>
            {t('win.savePicture')}
          </a>
        </div>
        {own && <NameChoice id={win.id} hidesName={own.hidesName} />}
      </div>
    </aside>
  );
}
