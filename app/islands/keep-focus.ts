// Moves the focus to the page's content where a finished act removed the control that had it; it would fall to the body.

let last: Node | null = null;

document.addEventListener('focusin', ({ target }) => {
  last = target as Node;
});

// Somebody who left the control has taken the focus elsewhere. A removed one is no longer in the page by then.
document.addEventListener('focusout', ({ target }) =>
  requestAnimationFrame(() => {
    if (last === target && last?.isConnected && document.activeElement === document.body) last = null;
  }),
);

new MutationObserver(() => {
  if (last?.isConnected !== false || document.activeElement !== document.body) return;
  last = null;
  document.getElementById('main')?.focus({ preventScroll: true });
}).observe(document.body, { childList: true, subtree: true });
