// The widget without its inlined worker and style sheet: they are files of this site, as the content security
// policy requires.
import 'altcha/external';
import type { AltchaWidgetElement } from 'altcha';
import Pbkdf2Worker from 'altcha/workers/pbkdf2?worker';
import { defineCaptcha } from './captcha-box.ts';

/** Creates the widget, which starts at once. Its solution goes into the form as `captcha`. */
function makeAltcha({ language = 'en', words = '{}' }: DOMStringMap): AltchaWidgetElement {
  const { $altcha } = globalThis;
  $altcha.algorithms.set('PBKDF2/SHA-256', () => new Pbkdf2Worker());
  $altcha.i18n.set(language, { ...$altcha.i18n.get('en'), ...JSON.parse(words) });
  const widget = document.createElement('altcha-widget');
  // Pointer movements are not measured.
  const configuration = { hideFooter: true, hideLogo: true, humanInteractionSignature: false };
  const attributes = {
    name: 'captcha',
    challenge: '/captcha/challenge',
    auto: 'onload',
    language,
    configuration: JSON.stringify(configuration),
  };
  for (const [name, value] of Object.entries(attributes)) widget.setAttribute(name, value);
  return widget;
}

const answerOf = (form: HTMLFormElement) => new FormData(form).get('captcha');

/**
 * Delays a form until its captcha is solved. A failed one is submitted, so that the server's answer explains
 * the fault.
 */
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

defineCaptcha((box) => {
  const widget = makeAltcha(box.dataset);
  const form = box.closest('form');
  const held = form && holdForm(form);
  widget.addEventListener('statechange', (event) => {
    const { state } = (event as CustomEvent<{ state: string }>).detail;
    if (state === 'expired') widget.reset();
    // The hidden field is set in the task after this event.
    if (state === 'verified' || state === 'error') setTimeout(() => held?.letGo(), 0);
  });
  box.replaceChildren(widget);
  return {
    remove() {
      held?.end();
      widget.remove();
    },
  };
});
