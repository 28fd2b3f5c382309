import { startAuthentication, startRegistration } from '@simplewebauthn/browser';

/**
 * In a form, has the browser use or make a passkey before the form is sent, and puts what it signed into the form. If
 * nothing comes of it (no such passkey, or the person cancelled), the form stays and a line says so.
 */
class PasskeyBox extends HTMLElement {
  #form: HTMLFormElement | null = null;
  #isFilled = false;

  connectedCallback(): void {
    this.#form = this.closest('form');
    this.#form?.addEventListener('submit', this.#hold, true);
    this.#show('div', true);
  }

  disconnectedCallback(): void {
    this.#form?.removeEventListener('submit', this.#hold, true);
  }

  #show(selector: string, isShown: boolean): void {
    const part = this.querySelector<HTMLElement>(selector);
    if (part) part.hidden = !isShown;
  }

  /** The server's options: another challenge after each answer. */
  #sign(): Promise<object> {
    const optionsJSON = JSON.parse(this.dataset.options ?? '{}');
    return this.dataset.act === 'register'
      ? startRegistration({ optionsJSON })
      : startAuthentication({ optionsJSON });
  }

  #hold = async (event: SubmitEvent) => {
    if (this.#isFilled) return;
    event.preventDefault();
    event.stopPropagation();
    const { submitter } = event;
    const field = this.querySelector('input');
    this.#show('p', false);
    try {
      const signed = await this.#sign();
      if (!field) return;
      field.value = JSON.stringify(signed);
      this.#isFilled = true;
      this.#form?.requestSubmit(submitter);
      field.value = '';
    } catch {
      this.#show('p', true);
    } finally {
      this.#isFilled = false;
    }
  };
}

customElements.define('passkey-box', PasskeyBox);
