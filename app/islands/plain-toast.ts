/** A message that closes by itself is shown for this long. */
export const autoCloseMs = 3000;

/** Moves a message from its template into the live region, so that screen readers announce it. */
export function showToast(template: HTMLTemplateElement): void {
  const card = template.content.firstElementChild?.cloneNode(true);
  if (!(card instanceof HTMLElement)) return;
  card.querySelector('button')?.addEventListener('click', () => card.remove());
  document.querySelector(`.toasts__list[aria-live="${template.dataset.live}"]`)?.append(card);
  if (!('autoClose' in template.dataset)) return;
  const timer = setInterval(() => {
    // Someone with the pointer or focus on it is still reading.
    if (card.matches(':hover, :focus-within')) return;
    clearInterval(timer);
    card.remove();
  }, autoCloseMs);
}
