/** A widget in the page, and its cleanup when the page is left. */
export interface Mounted {
  remove(): void;
}

/** The captcha's element in a form. Each provider's script fills it. */
export function defineCaptcha(mount: (box: HTMLElement) => Mounted | Promise<Mounted>): void {
  class CaptchaBox extends HTMLElement {
    #mounted: Promise<Mounted> | null = null;

    connectedCallback(): void {
      this.#mounted = Promise.resolve(mount(this));
      // If the widget cannot be loaded, the form stays unchanged.
      this.#mounted.catch(() => {});
    }

    disconnectedCallback(): void {
      this.#mounted?.then((widget) => widget.remove()).catch(() => {});
    }
  }
  customElements.define('captcha-box', CaptchaBox);
}
