import { Check, Copy } from '#app/components/icons/signs.ts';

const COPIED_MS = 4000;

/** Shows the copy buttons of a page without React: each copies the code beside it, and says so for a moment. */
export function showCopyButtons(): void {
  if (!('clipboard' in navigator)) return;
  for (const button of document.querySelectorAll<HTMLButtonElement>('.code button[data-copied]')) {
    button.hidden = false;
    button.addEventListener('click', () => void copyCode(button));
  }
}

async function copyCode(button: HTMLButtonElement): Promise<void> {
  const box = button.parentElement;
  await navigator.clipboard.writeText(box?.querySelector('code')?.textContent ?? '');
  const show = (sign: string, status: string) => {
    const use = button.querySelector('use');
    use?.setAttribute('href', (use.getAttribute('href') ?? '').replace(/#.*/, `#${sign}`));
    const says = box?.querySelector('[role="status"]');
    if (says) says.textContent = status;
  };
  show(Check, button.dataset.copied ?? '');
  setTimeout(() => show(Copy, ''), COPIED_MS);
}
