// Loaded once a page stands, so that it adds nothing to the scripts that a page waits for. It follows how many rewards
// are ready to claim, and tells the page by an event. The page says with which count it was loaded.

import './keep-focus.ts';

/** The pause before a page without a stream looks again; it doubles up to the longest. */
const FIRST_MS = 60_000;
const LONGEST_MS = 600_000;
/** One promise often causes several events; one reading is enough. */
const GATHER_MS = 250;

const page = document.documentElement;
/** True for a page that follows the events itself, and is loaded anew with each of them. */
const isPageLive = () => page.hasAttribute('data-live');

/** The count that the page showed last; -1 before the first. */
let shown = -1;

/** Says among the messages of the page that a reward became ready, with the way to it. */
function announce(): void {
  const list = document.querySelector<HTMLElement>('.toasts__list');
  const words = list?.parentElement?.dataset;
  // The page of rewards shows it itself.
  if (!list || !words || location.pathname === '/rewardProgress') return;
  list.querySelector('.toast--ready')?.remove();
  const toast = document.createElement('div');
  toast.className = 'toast toast--success toast--ready';
  const link = document.createElement('a');
  link.href = '/rewardProgress';
  link.dataset.discover = 'true';
  link.textContent = words.ready ?? '';
  const close = document.createElement('button');
  close.type = 'button';
  close.className = 'btn btn--quiet btn--icon btn--small';
  close.ariaLabel = words.dismiss ?? '';
  close.textContent = '×';
  for (const each of [link, close]) each.addEventListener('click', () => toast.remove());
  const mark = document.createElement('span');
  mark.className = 'icon';
  mark.ariaHidden = 'true';
  mark.textContent = '✓';
  toast.append(mark, link, close);
  list.append(toast);
}

let source: EventSource | null = null;
let isGathering = false;
let timer: ReturnType<typeof setTimeout> | undefined;
let waitMs = FIRST_MS;

function show(count: number): void {
  if (count > shown && shown >= 0) announce();
  shown = count;
  document.dispatchEvent(new CustomEvent('readycount', { detail: count }));
}

async function read(): Promise<void> {
  // A page of somebody who signed out elsewhere is led away, and asks no more.
  const answer = await fetch('/ready', { redirect: 'manual' });
  if (answer.type === 'opaqueredirect') clearTimeout(timer);
  if (!answer.ok) return;
  const { ready } = (await answer.json()) as { ready: number };
  show(ready);
}

function readSoon(): void {
  if (isGathering) return;
  isGathering = true;
  setTimeout(() => {
    isGathering = false;
    read().catch(() => {});
  }, GATHER_MS);
}

function close(): void {
  source?.close();
  source = null;
}

/**
 * Keeps a stream of events while the page is seen and has none of its own. Hidden pages keep no connection, because a
 * browser opens six of them at most to a site over HTTP/1.1; they ask, more and more seldom.
 */
function follow(): void {
  if (document.hidden || isPageLive() || page.dataset.ready === undefined) close();
  else if (!source) {
    source = new EventSource('/events');
    source.onopen = () => {
      waitMs = FIRST_MS;
    };
    source.onmessage = ({ data }) => {
      if (JSON.parse(data).kind === 'reward.changed') readSoon();
    };
    // The next look opens it again, so that a server that is down is not asked in a loop.
    source.onerror = close;
  }
}

function look(): void {
  if (!source && !isPageLive() && page.dataset.ready !== undefined) readSoon();
  follow();
}

/** Checks after a pause, and then again; the pages of many viewers do not ask together. */
function checkLater(): void {
  timer = setTimeout(
    () => {
      waitMs = Math.min(waitMs * 2, LONGEST_MS);
      look();
      checkLater();
    },
    waitMs * (0.5 + Math.random()),
  );
}

/** Looks at once when the page is seen again. */
function turn(): void {
  clearTimeout(timer);
  waitMs = FIRST_MS;
  if (document.hidden) follow();
  else look();
  checkLater();
}

function load(): void {
  const known = page.dataset.ready;
  if (known === undefined) shown = -1;
  else show(Number(known));
  follow();
}

load();
checkLater();
new MutationObserver(load).observe(page, { attributeFilter: ['data-ready'] });
new MutationObserver(follow).observe(page, { attributeFilter: ['data-live'] });
document.addEventListener('visibilitychange', turn);
