import { startAuthentication, startRegistration } from '@simplewebauthn/browser';

/**
 * In a form, has the browser use or make a passkey before the form is sent, and puts the signed answer into
 * the form. Without an answer (no such passkey, or the person cancelled) the form stays and a line says so.
 */
class PasskeyBox extends HTMLElement {
  #form: HTMLFormElement | null = null;
  #isFilled = false;

  connectedCallback(): void {
    this.#form = this.closest('form');
    this.#form?.addEventListener('submit', this.#hold, true);
  }

  disconnectedCallback(): void {
    this.#form?.removeEventListener('submit', this.#hold, true);
  }

  #showFailure(isShown: boolean): void {
    const line = this.querySelector<HTMLElement>('p');
    if (line) line.hidden = !isShown;
  }

  /** The server's options: another challenge after each answer. */
  async #options() {
    const { from, options = '{}' } = this.dataset;
    if (!from) return JSON.parse(options);
    const answer = await fetch(from);
    if (!answer.ok) throw new Error(`no options: ${answer.status}`);
    return answer.json();
  }

  #send(signed: object, submitter: HTMLElement | null): void {
    const field = this.querySelector('input');
    if (!field) return;
    field.value = JSON.stringify(signed);
    this.#isFilled = true;
    this.#form?.requestSubmit(submitter);
    this.#isFilled = false;
    field.value = '';
  }

  async #sign(): Promise<object> {
    const optionsJSON = await this.#options();
    return this.dataset.act === 'register'
      ? startRegistration({ optionsJSON })
      : startAuthentication({ optionsJSON });
  }

  #hold = async (event: SubmitEvent) => {
    if (this.#isFilled) return;
    event.preventDefault();
    event.stopPropagation();
    const { submitter } = event;
    this.#showFailure(false);
    try {
      this.#send(await this.#sign(), submitter);
    } catch {
      this.#showFailure(true);
    }
  };
}

customElements.define('passkey-box', PasskeyBox);
