import { Form } from 'react-router';
import { Badge } from '#app/components/feedback/badge.tsx';
import { Button, SubmitButton } from '#app/components/forms/button.tsx';
import { Check } from '#app/components/forms/choices.tsx';
import { MonitorCheck } from '#app/components/icons/signs.ts';
import { Link } from '#app/components/shell/link.tsx';
import { useDocument } from '#app/components/shell/page-context.tsx';
import { Sheet } from '#app/components/shell/sheet.tsx';
import { LocalTime } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { PushDevice } from '#domain/push/push-devices.ts';
import { OnIphone } from './on-iphone.tsx';
import type { PushChoice } from './push-choices.server.ts';
import { useBrowserName } from './sessions.tsx';
// Not among the islands, whose addresses all pages load.
import pushScript from './turn-on-push.ts?worker&url';

const action = '/settings/push';

/** A device as the page shows it. */
export type ShownDevice = Pick<PushDevice, 'id' | 'events' | 'lastSentAtMs' | 'endedAtMs' | 'isHere'> & {
  browser: string | null;
  system: string | null;
};

interface Props {
  /** Null until a bot has run once. */
  serverKey: string | null;
  devices: readonly ShownDevice[];
  choices: readonly PushChoice[];
}

/** Notices on the devices of the account. */
export function PushSheet({ serverKey, devices, choices }: Props) {
  const { t } = useTranslation();
  return (
    <Sheet title={t('settings.push.title')}>
      <div id="push" className="stack">
        <p className="muted">{t('settings.push.text')}</p>
        {serverKey !== null && <TurnOn serverKey={serverKey} />}
        {devices.map((device) => (
          <Device key={device.id} device={device} choices={choices} />
        ))}
        {devices.length > 0 && choices.some(({ needsPlan }) => needsPlan) && (
          <p id="push-needs-plan" className="muted">
            {t('settings.push.needsPlan')} <Link to="/billing">{t('settings.notifications.plans')}</Link>
          </p>
        )}
        <OnIphone />
      </div>
    </Sheet>
  );
}

/** The button that only a script can show: a browser subscribes by itself. */
function TurnOn({ serverKey }: { serverKey: string }) {
  const { t } = useTranslation();
  const { nonce } = useDocument();
  const lines = ['unable', 'blocked', 'failed'] as const;
  return (
    <Form method="post" action={action} reloadDocument>
      <noscript>
        <p className="muted">{t('settings.push.needsScript')}</p>
      </noscript>
      <script type="module" async src={pushScript} nonce={nonce} />
      <push-switch class="stack stack-2" data-key={serverKey}>
        {['endpoint', 'p256dh', 'auth'].map((name) => (
          <input key={name} type="hidden" name={name} />
        ))}
        <div className="line" data-when="able" hidden>
          <Button kind="secondary">{t('settings.push.turnOn')}</Button>
        </div>
        {lines.map((when) => (
          <p key={when} role="status" data-when={when} hidden>
            {t(`settings.push.${when}`)}
          </p>
        ))}
      </push-switch>
    </Form>
  );
}

function Device({ device, choices }: { device: ShownDevice } & Pick<Props, 'choices'>) {
  const { t } = useTranslation();
  const name = useBrowserName()(device);
  const { endedAtMs, lastSentAtMs, isHere } = device;
  return (
    <Form className="stack stack-2" method="post" action={action}>
      <input type="hidden" name="device" value={device.id} />
      <fieldset>
        <legend>
          {name} {isHere && <Badge icon={MonitorCheck}>{t('settings.sessions.here')}</Badge>}
        </legend>
        {endedAtMs === null ? (
          choices.map(({ event, needsPlan }) => (
            <Check
              key={event}
              name="event"
              value={event}
              defaultChecked={device.events.includes(event) && !needsPlan}
              disabled={needsPlan}
              aria-describedby={needsPlan ? 'push-needs-plan' : undefined}
            >
              {t(`settings.push.event.${event}`)}
            </Check>
          ))
        ) : (
          <p>
            {t('settings.push.asleep')} <LocalTime ms={endedAtMs} />
          </p>
        )}
      </fieldset>
      {lastSentAtMs !== null && (
        <p className="s13 muted">
          {t('settings.push.lastSent')} <LocalTime ms={lastSentAtMs} />
        </p>
      )}
      <div className="line">
        {endedAtMs === null && (
          <SubmitButton kind="secondary" formAction={action}>
            {t('settings.push.save')}
          </SubmitButton>
        )}
        <Button kind="quiet" name="act" value="off" aria-label={t('settings.push.turnOffNamed', { name })}>
          {t('settings.push.turnOff')}
        </Button>
      </div>
    </Form>
  );
}
