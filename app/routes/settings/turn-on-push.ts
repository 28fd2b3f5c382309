/**
 * In the form that turns notices on: registers the service worker, shows what this browser can do, and fills in the
 * subscription before the form is sent.
 */
class PushSwitch extends HTMLElement {
  connectedCallback(): void {
    // The script may come before the rest of the page.
    if (document.readyState === 'loading') addEventListener('DOMContentLoaded', () => void this.#begin());
    else void this.#begin();
  }

  #say(when: string): void {
    for (const line of this.querySelectorAll<HTMLElement>('[data-when]'))
      line.hidden = line.dataset.when !== when;
  }

  async #begin(): Promise<void> {
    if (!('serviceWorker' in navigator)) return this.#say('unable');
    try {
      await navigator.serviceWorker.register('/service-worker.js');
    } catch {
      return this.#say('unable');
    }
    if (!('PushManager' in window)) return this.#say('unable');
    this.#say(Notification.permission === 'denied' ? 'blocked' : 'able');
    this.closest('form')?.addEventListener('submit', this.#hold, true);
  }

  disconnectedCallback(): void {
    this.closest('form')?.removeEventListener('submit', this.#hold, true);
  }

  #hold = (event: SubmitEvent): void => {
    event.preventDefault();
    event.stopPropagation();
    // The form is sent by itself, without the router: nothing of this page has to be kept.
    void this.#subscribe().then(
      () => this.closest('form')?.submit(),
      () => this.#say(Notification.permission === 'denied' ? 'blocked' : 'failed'),
    );
  };

  async #subscribe(): Promise<void> {
    if ((await Notification.requestPermission()) !== 'granted') throw new Error('not granted');
    const registration = await navigator.serviceWorker.ready;
    const applicationServerKey = this.dataset.key ?? '';
    const former = await registration.pushManager.getSubscription();
    // One that was made with another key could not be used.
    if (former && keyOf(former) !== applicationServerKey) await former.unsubscribe();
    const made = await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
    const { endpoint = '', keys = {} } = made.toJSON();
    registration.active?.postMessage({ endpoint });
    for (const [name, value] of Object.entries({ endpoint, ...keys })) {
      const field = this.querySelector<HTMLInputElement>(`input[name="${name}"]`);
      if (field) field.value = value;
    }
  }
}

/** The server's key that a subscription was made with, as the page has it. */
const keyOf = ({ options: { applicationServerKey } }: PushSubscription): string =>
  btoa(String.fromCharCode(...new Uint8Array(applicationServerKey ?? new ArrayBuffer(0))))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

customElements.define('push-switch', PushSwitch);
