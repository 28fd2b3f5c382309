/** A widget in the page, and its cleanup when the page is left. */
export interface Mounted {
  remove(): void;
}

/** The captcha's place in a form. Each provider's script fills it. */
export function defineCaptcha(mount: (box: HTMLElement) => Mounted | Promise<Mounted>): void {
  class CaptchaBox extends HTMLElement {
    #mounted: Promise<Mounted> | null = null;

    connectedCallback(): void {
      this.#mounted = Promise.resolve(mount(this));
      // A widget that could not be loaded leaves its form as it is.
      this.#mounted.catch(() => {});
    }

    disconnectedCallback(): void {
      this.#mounted?.then((widget) => widget.remove()).catch(() => {});
    }
  }
  customElements.define('captcha-box', CaptchaBox);
}
