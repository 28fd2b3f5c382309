import { type ConsentType, giveConsent, readConsent } from './consent.ts';

/**
 * Asks once which cookies may be set. The banner is hidden in every page's markup and shows itself, so that it works
 * on pages without React. Without JavaScript nothing optional can load, so nothing is asked.
 */
class ConsentBanner extends HTMLElement {
  connectedCallback(): void {
    this.addEventListener('click', this.#answer);
    try {
      this.hidden = readConsent(localStorage, Date.now()) !== null;
    } catch {
      // Without local storage the banner would appear on every page.
    }
  }

  disconnectedCallback(): void {
    this.removeEventListener('click', this.#answer);
  }

  /** Takes the focus only if the visitor opened the banner. */
  ask(): void {
    this.hidden = false;
    this.focus();
  }

  #answer = ({ target }: Event) => {
    const button = target instanceof Element ? target.closest<HTMLButtonElement>('button[value]') : null;
    if (!button) return;
    giveConsent(localStorage, window, button.value as ConsentType, Date.now());
    this.hidden = true;
    document.getElementById('main')?.focus({ preventScroll: true });
  };
}

/** The button that opens the banner again. It stays hidden without JavaScript. */
class ConsentSettings extends HTMLElement {
  connectedCallback(): void {
    this.hidden = false;
    this.addEventListener('click', this.#ask);
  }

  disconnectedCallback(): void {
    this.removeEventListener('click', this.#ask);
  }

  #ask = () => document.querySelector<ConsentBanner>('consent-banner')?.ask();
}

customElements.define('consent-banner', ConsentBanner);
customElements.define('consent-settings', ConsentSettings);
