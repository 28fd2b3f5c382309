import { Form } from 'react-router';
import { Callout } from '#app/components/feedback/callout.tsx';
import { Code } from '#app/components/feedback/code.tsx';
import { ConfirmDialog } from '#app/components/feedback/confirm.tsx';
import { ButtonLink, SubmitButton } from '#app/components/forms/button.tsx';
import { Sheet } from '#app/components/shell/sheet.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { Route } from './+types/editor.ts';

export type EditedOverlay = NonNullable<Route.ComponentProps['loaderData']['overlay']>;

/** An address with its secret, which is in the page only when it was asked for. */
export function Address({ overlay, door }: { overlay: EditedOverlay; door: 'overlay' | 'dock' }) {
  const { t } = useTranslation();
  const { shown, hashes } = overlay;
  return (
    <Sheet title={t(door === 'overlay' ? 'overlay.address' : 'overlay.dock')}>
      <p className="muted">{t(door === 'overlay' ? 'overlay.addressText' : 'overlay.dockText')}</p>
      {shown?.door === door && <Code>{shown.address}</Code>}
      <div className="line">
        {shown?.door !== door && (
          <ButtonLink kind="secondary" to={`/channel/overlay?show=${door}`}>
            {t('overlay.show')}
          </ButtonLink>
        )}
        <ConfirmDialog
          page={`/channel/overlay/replace?door=${door}`}
          opener={t('overlay.replace')}
          openerClass="btn btn--quiet"
          title={t(door === 'overlay' ? 'overlay.replaceAddress' : 'overlay.replaceDock')}
          text={t('overlay.replaceText')}
          act={t('overlay.replace')}
          keep={t('overlay.keep')}
          fields={{ door, replaces: hashes[door] }}
          destructive
        />
      </div>
    </Sheet>
  );
}

/** The test, and the stop. */
export function Running({ overlay }: { overlay: EditedOverlay }) {
  const { t } = useTranslation();
  const { asksLive, requestId, stoppedAtMs } = overlay;
  return (
    <Sheet title={t('overlay.test')}>
      <p className="muted">{t('overlay.testText')}</p>
      {asksLive && (
        <Callout type="warning" title={t('overlay.live')}>
          <p>{t('overlay.liveText')}</p>
        </Callout>
      )}
      <p>{t(stoppedAtMs === null ? 'overlay.running' : 'overlay.stopped')}</p>
      <Form className="line" method="post">
        <input type="hidden" name="requestId" value={requestId} />
        {asksLive && <input type="hidden" name="live" value="on" />}
        <SubmitButton kind="secondary" name="act" value="test">
          {t(asksLive ? 'overlay.liveAct' : 'overlay.testAct')}
        </SubmitButton>
        {stoppedAtMs === null && (
          <SubmitButton kind="quiet" name="act" value="stop">
            {t('overlay.stop')}
          </SubmitButton>
        )}
      </Form>
      {stoppedAtMs !== null && (
        <div className="line">
          <ConfirmDialog
            page="/channel/overlay/resume"
            opener={t('overlay.resume')}
            title={t('overlay.resumeTitle')}
            text={t('overlay.resumeText')}
            act={t('overlay.resume')}
            keep={t('overlay.keep')}
          />
        </div>
      )}
    </Sheet>
  );
}
