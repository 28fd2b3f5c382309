import { Form } from 'react-router';
import { Callout } from '#app/components/feedback/callout.tsx';
import { ConfirmDialog } from '#app/components/feedback/confirm.tsx';
import { SubmitButton } from '#app/components/forms/button.tsx';
import { useTimeText } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { ListedRule } from '#domain/rule/list-rules.ts';
import { PauseChoice } from './pause-choice.tsx';

type Pausable = Pick<
  ListedRule,
  'id' | 'name' | 'state' | 'pauseReason' | 'pausedAtMs' | 'resumesAtMs' | 'channelName'
>;

/** The pause of an open rule, with a question of how long. */
export function PauseButton({ rule }: { rule: Pausable }) {
  const { t } = useTranslation();
  if (rule.state !== 'open') return null;
  return (
    <ConfirmDialog
      page={`/rules/${rule.id}/pause`}
      opener={t('pause.act')}
      title={t('pause.question', { name: rule.name })}
      text={t('pause.text')}
      act={t('pause.confirm')}
      keep={t('pause.keep')}
    >
      <PauseChoice />
    </ConfirmDialog>
  );
}

/** Shows why a rule is paused, and when it resumes; with the button that ends the owner's own pause. */
export function Paused({ rule }: { rule: Pausable }) {
  const { t } = useTranslation();
  const time = useTimeText();
  const { state, pauseReason, pausedAtMs, resumesAtMs } = rule;
  if (state !== 'paused' || !pauseReason) return null;
  const isOwners = pauseReason === 'owner';
  const until =
    resumesAtMs === null
      ? t(isOwners ? 'pause.lasts' : 'pause.alsoLasts')
      : t(isOwners ? 'pause.until' : 'pause.alsoUntil', { time: time(resumesAtMs, 'time') });
  return (
    <Callout type="warning" title={t(`rules.paused.${pauseReason}`)}>
      <p>{t(`rules.pausedText.${pauseReason}`, { channel: rule.channelName })}</p>
      {pausedAtMs !== null && (
        <>
          <p>{until}</p>
          <Form method="post" action={`/rules/${rule.id}/resume`} className="mt-4">
            <SubmitButton kind="secondary">{t(isOwners ? 'pause.resume' : 'pause.end')}</SubmitButton>
          </Form>
        </>
      )}
    </Callout>
  );
}
