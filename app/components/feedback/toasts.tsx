import { useCallback, useEffect, useRef, useState } from 'react';
import { Icon, type Sign } from '#app/components/icons/icon.tsx';
import { CircleAlert, CircleCheck, Info, TriangleAlert, X } from '#app/components/icons/signs.ts';
import { useTranslation } from '#app/components/text/translation.tsx';
import { autoCloseMs } from '#app/islands/plain-toast.ts';
import type { TextKey } from '#app/locales/translation.ts';
import { Callout } from './callout.tsx';

export type ToastType = 'success' | 'info' | 'warning' | 'danger';

/** A message about what just happened. Its texts are keys, so that it follows the language. */
export type Toast = {
  id: number;
  type: ToastType;
  title: TextKey;
  body?: TextKey | undefined;
  values?: Record<string, string | number> | undefined;
  autoClose: boolean;
};

export const toastIcons: Record<ToastType, Sign> = {
  success: CircleCheck,
  info: Info,
  warning: TriangleAlert,
  danger: CircleAlert,
};

function useToastText({ title, body, values }: Toast) {
  const { t } = useTranslation();
  // The keys come from data, so their values cannot be typed here.
  const say = t as (key: string, values?: Record<string, string | number>) => string;
  return { title: say(title, values), body: body && say(body, values) };
}

function ToastCard({ toast, close: onCloseOf }: { toast: Toast; close: (id: number) => void }) {
  const { t } = useTranslation();
  const onClose = useCallback(() => onCloseOf(toast.id), [onCloseOf, toast.id]);
  const { title, body } = useToastText(toast);
  const card = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!toast.autoClose) return;
    // Someone with the pointer or focus on it is still reading.
    const close = () => (card.current?.matches(':hover, :focus-within') ? undefined : onClose());
    const timer = setInterval(close, autoCloseMs);
    return () => clearInterval(timer);
  }, [toast.autoClose, onClose]);
  return (
    <div ref={card} className={`toast toast--${toast.type}`}>
      <Icon of={toastIcons[toast.type]} />
      <div>
        <b>{title}</b>
        {body && <p>{body}</p>}
      </div>
      <button
        type="button"
        className="btn btn--quiet btn--icon btn--small"
        aria-label={t('common.dismiss')}
        onClick={onClose}
      >
        <Icon of={X} size="small" />
      </button>
    </div>
  );
}

/** A toast's message for a visitor without JavaScript, at the top of the page. */
export function Flash({ toast }: { toast: Toast }) {
  const { title, body } = useToastText(toast);
  return (
    <noscript>
      <div className="flash">
        <Callout type={toast.type} title={title}>
          {body && <p>{body}</p>}
        </Callout>
      </div>
    </noscript>
  );
}

/** The urgencies at which a screen reader announces a message: after the current text, or at once. */
const urgencies = ['polite', 'assertive'] as const;
const urgencyOf = (type: ToastType) => (type === 'danger' ? 'assertive' : 'polite');

/**
 * Messages about what just happened. The live regions are always present, because screen readers announce only
 * additions to a region they know.
 */
export function Toasts({ toast }: { toast: Toast | null }) {
  const { t } = useTranslation();
  const [shown, setShown] = useState<Toast[]>([]);
  const close = useCallback(
    (id: number) => setShown((before) => before.filter((other) => other.id !== id)),
    [],
  );
  const latest = useRef(-1);
  useEffect(() => {
    // A reload may bring the same message again, closed or not.
    if (!toast || toast.id === latest.current) return;
    latest.current = toast.id;
    setShown((before) => [...before, toast]);
  }, [toast]);
  return (
    <section
      className="toasts"
      aria-label={t('shell.notifications')}
      // For the message of watch-ready.ts.
      data-ready={t('shell.readyNow')}
      data-dismiss={t('common.dismiss')}
    >
      {urgencies.map((live) => (
        <div className="toasts__list" key={live} aria-live={live} aria-relevant="additions">
          {shown
            .filter(({ type }) => urgencyOf(type) === live)
            .map((each) => (
              <ToastCard key={each.id} toast={each} close={close} />
            ))}
        </div>
      ))}
    </section>
  );
}

const nobody = () => {};

/** The live regions in a page without React, with the message in a template that a script inserts. */
export function PlainToasts({ toast }: { toast: Toast | null }) {
  const { t } = useTranslation();
  return (
    <section className="toasts" aria-label={t('shell.notifications')}>
      {urgencies.map((live) => (
        <div className="toasts__list" key={live} aria-live={live} aria-relevant="additions" />
      ))}
      {toast && (
        <template
          className="toast-to-show"
          data-live={urgencyOf(toast.type)}
          data-auto-close={toast.autoClose || undefined}
        >
          <ToastCard toast={toast} close={nobody} />
        </template>
      )}
    </section>
  );
}
