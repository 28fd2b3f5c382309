import { startAuthentication, startRegistration } from '@simplewebauthn/browser';

/**
 * In a form, has the browser use or make a passkey before the form is sent, and puts the signed answer into
 * the form. Without an answer (no such passkey, or the person cancelled) the form stays and a line says so.
 */
class PasskeyBox extends HTMLElement {
  static observedAttributes = ['data-options'];
  #form: HTMLFormElement | null = null;
  #isFilled = false;
  /** The options that were answered last: their challenge is used up. */
  #answered: string | null = null;
  /** Ends the wait for other options. */
  #goOn: (() => void) | null = null;

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

  attributeChangedCallback(): void {
    this.#goOn?.();
  }

  /**
   * The server's options, as JSON: another challenge after each answer. The page shows that an answer was refused before it
   * has the next options, and a press in between waits for them.
   */
  async #options(): Promise<string> {
    const { from } = this.dataset;
    if (from) {
      const answer = await fetch(from);
      if (!answer.ok) throw new Error(`no options: ${answer.status}`);
      return answer.text();
    }
    if (this.dataset.options === this.#answered)
      await new Promise<void>((resolve) => {
        this.#goOn = resolve;
      });
    return this.dataset.options ?? '{}';
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
    const options = await this.#options();
    const optionsJSON = JSON.parse(options);
    const signed =
      this.dataset.act === 'register'
        ? await startRegistration({ optionsJSON })
        : await startAuthentication({ optionsJSON });
    this.#answered = options;
    return signed;
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
