/** A widget in the page, and what becomes of it when the page is left. */
export interface Mounted {
  remove(): void;
}

/** Where a form asks its sender to prove themselves. Each provider's script says what happens in it. */
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
