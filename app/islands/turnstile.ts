import { defineCaptcha } from './captcha-box.ts';

interface Turnstile {
  render(place: HTMLElement, options: Record<string, unknown>): string;
  remove(id: string): void;
}
const turnstileScript = 'https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit';

function loadTurnstile(): Promise<Turnstile> {
  const found = () => (window as unknown as { turnstile?: Turnstile }).turnstile;
  return new Promise((resolve, reject) => {
    const known = found();
    if (known) return resolve(known);
    const script = document.createElement('script');
    script.src = turnstileScript;
    script.addEventListener('load', () => {
      const loaded = found();
      if (loaded) resolve(loaded);
    });
    script.addEventListener('error', () => reject(new Error('the captcha could not be loaded')));
    document.head.append(script);
  });
}

defineCaptcha(async (box) => {
  const { sitekey, language } = box.dataset;
  const turnstile = await loadTurnstile();
  const id = turnstile.render(box, { sitekey, language, 'response-field-name': 'captcha' });
  return { remove: () => turnstile.remove(id) };
});
