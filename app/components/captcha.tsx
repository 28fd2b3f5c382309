import { useEffect, useRef } from 'react';
import type { CaptchaWidget } from '#app/services/captcha/captcha-provider.ts';
import { useTranslation } from './translation.tsx';

/** A widget in the page: what to do when its answer has been spent, and when the page is left. */
interface Mounted {
  renew(): void;
  remove(): void;
}
type Mount = (place: HTMLElement) => Promise<Mounted>;

const answerOf = (form: HTMLFormElement) => new FormData(form).get('captcha');

/** Holds a form back until its captcha is solved; a failed one goes out, so that the answer says what is wrong. */
function holdForm(form: HTMLFormElement) {
  let waiting: { submitter: HTMLElement | null } | null = null;
  const hold = (event: SubmitEvent) => {
    if (answerOf(form)) return;
    event.preventDefault();
    event.stopPropagation();
    waiting = { submitter: event.submitter };
  };
  form.addEventListener('submit', hold, true);
  return {
    letGo() {
      if (!waiting) return;
      const { submitter } = waiting;
      form.removeEventListener('submit', hold, true);
      form.requestSubmit(submitter);
      form.addEventListener('submit', hold, true);
      waiting = null;
    },
    end: () => form.removeEventListener('submit', hold, true),
  };
}

function useAltcha(): Mount {
  const { t, language } = useTranslation();
  return async (place) => {
    const { makeAltcha } = await import('./altcha.client.ts');
    const words = {
      label: t('captcha.label'),
      verifying: t('captcha.verifying'),
      verified: t('captcha.verified'),
      error: t('captcha.error'),
      expired: t('captcha.expired'),
      waitAlert: t('captcha.verifying'),
    };
    const widget = makeAltcha({ language: language, words });
    const form = place.closest('form');
    const held = form && holdForm(form);
    widget.addEventListener('statechange', (event) => {
      const { state } = (event as CustomEvent<{ state: string }>).detail;
      if (state === 'expired') widget.reset();
      // The hidden field is written in the turn after this event.
      if (state === 'verified' || state === 'error') setTimeout(() => held?.letGo(), 0);
    });
    place.replaceChildren(widget);
    return {
      renew() {
        widget.reset();
        void widget.verify();
      },
      remove() {
        held?.end();
        widget.remove();
      },
    };
  };
}

interface Turnstile {
  render(place: HTMLElement, options: Record<string, unknown>): string;
  reset(id: string): void;
  remove(id: string): void;
}
const turnstileScript = 'https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit';

function loadTurnstile(): Promise<Turnstile> {
  const found = () => (window as unknown as { turnstile?: Turnstile }).turnstile;
  return new Promise((resolve, reject) => {
    const known = found();
    if (known) return resolve(known);
    const script = document.createElement('script');
    script.src = turnstileScript;
    script.addEventListener('load', () => {
      const loaded = found();
      if (loaded) resolve(loaded);
    });
    script.addEventListener('error', () => reject(new Error('the captcha could not be loaded')));
    document.head.append(script);
  });
}

function useTurnstile(sitekey: string): Mount {
  const { language } = useTranslation();
  return async (place) => {
    const turnstile = await loadTurnstile();
    const options = { sitekey, language: language, 'response-field-name': 'captcha' };
    const id = turnstile.render(place, options);
    return { renew: () => turnstile.reset(id), remove: () => turnstile.remove(id) };
  };
}

function Widget({ mount, reply }: { mount: Mount; reply: unknown }) {
  const place = useRef<HTMLDivElement>(null);
  const mounted = useRef<Promise<Mounted> | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is mounted once; the language reloads the document.
  useEffect(() => {
    if (!place.current) return;
    const made = mount(place.current);
    mounted.current = made;
    return () => {
      made.then((widget) => widget.remove()).catch(() => {});
    };
  }, []);
  useEffect(() => {
    // A form that came back has spent its answer.
    if (reply) mounted.current?.then((widget) => widget.renew()).catch(() => {});
  }, [reply]);
  return <div className="captcha-place" ref={place} />;
}

function AltchaWidget({ reply }: { reply: unknown }) {
  return <Widget mount={useAltcha()} reply={reply} />;
}

function TurnstileWidget({ siteKey, reply }: { siteKey: string; reply: unknown }) {
  return <Widget mount={useTurnstile(siteKey)} reply={reply} />;
}

/**
 * Asks a form's sender to prove themselves. Without JavaScript the form says so instead, and is held to stricter limits.
 * `reply` is what the form was last answered: each answer needs a new proof.
 */
export function Captcha({ widget, reply }: { widget: CaptchaWidget; reply: unknown }) {
  return (
    <>
      <noscript>
        <input type="hidden" name="without_script" value="on" />
      </noscript>
      {widget.provider === 'altcha' ? (
        <AltchaWidget reply={reply} />
      ) : (
        <TurnstileWidget siteKey={widget.siteKey} reply={reply} />
      )}
    </>
  );
}
