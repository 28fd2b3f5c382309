/** After this time a message that closes by itself is gone. */
export const autoCloseMs = 3000;

/** Moves a message from its template into the live region, where screen readers hear of it. */
export function showToast(template: HTMLTemplateElement): void {
  const card = template.content.firstElementChild?.cloneNode(true);
  if (!(card instanceof HTMLElement)) return;
  card.querySelector('button')?.addEventListener('click', () => card.remove());
  document.querySelector(`.toasts__list[aria-live="${template.dataset.live}"]`)?.append(card);
  if (!('autoClose' in template.dataset)) return;
  const timer = setInterval(() => {
    // Somebody who points at it or is in it is still reading.
    if (card.matches(':hover, :focus-within')) return;
    clearInterval(timer);
    card.remove();
  }, autoCloseMs);
}
