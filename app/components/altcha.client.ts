// The widget without the parts that it would write into the page by itself: its worker and its style sheet are files
// of this site, as the content security policy asks.
import 'altcha/external';
import 'altcha/altcha.css';
import type { AltchaWidgetElement } from 'altcha';
import Pbkdf2Worker from 'altcha/workers/pbkdf2?worker';

type Words = Record<'label' | 'verifying' | 'verified' | 'error' | 'expired' | 'waitAlert', string>;

/** Makes the widget, which begins to work at once. Its answer goes into the form as `captcha`. */
export function makeAltcha({ language, words }: { language: string; words: Words }): AltchaWidgetElement {
  const { $altcha } = globalThis;
  $altcha.algorithms.set('PBKDF2/SHA-256', () => new Pbkdf2Worker());
  $altcha.i18n.set(language, { ...$altcha.i18n.get('en'), ...words });
  const widget = document.createElement('altcha-widget');
  // What it would measure of a person's movements is nobody's business here.
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
