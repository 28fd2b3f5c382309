import { type ConsentType, giveConsent, readConsent } from '#app/components/shell/consent.ts';

/**
 * Asks once which cookies may be set. It is drawn hidden with every page and shows itself, so that pages without React
 * have it too. Without JavaScript nothing optional can load, and nothing is asked.
 */
class ConsentBanner extends HTMLElement {
  connectedCallback(): void {
    this.addEventListener('click', this.#answer);
    try {
      this.hidden = readConsent(localStorage, Date.now()) !== null;
    } catch {
      // A browser without local storage would be asked on every page.
    }
  }

  disconnectedCallback(): void {
    this.removeEventListener('click', this.#answer);
  }

  /** Takes the focus only if the visitor asked for the banner. */
  ask(): void {
    this.hidden = false;
    this.focus();
  }

  #answer = ({ target }: Event) => {
    const button = target instanceof Element ? target.closest<HTMLButtonElement>('button[value]') : null;
    if (!button) return;
    giveConsent(localStorage, window, button.value as ConsentType, Date.now());
    this.hidden = true;
  };
}

/** The button that asks again. Without JavaScript nothing was chosen, and it stays hidden. */
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
