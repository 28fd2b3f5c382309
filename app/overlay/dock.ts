import { connect } from './connect.ts';

/** Changes that come together are drawn together. */
const TOGETHER_MS = 1_000;

/** A dock draws itself anew whenever something changed. Its forms work without this. */
export function startDock(script: string): void {
  const [, , secret = ''] = location.pathname.split('/');
  const begun = new Set<string>();
  let isWaiting = false;
  const drawSoon = () => {
    if (isWaiting) return;
    isWaiting = true;
    setTimeout(() => void draw(), TOGETHER_MS);
  };
  const draw = async () => {
    const answer = await fetch(location.pathname, { cache: 'no-store' }).catch(() => null);
    isWaiting = false;
    if (answer?.status !== 200) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html').getElementById('dock');
    // A question stays until it is answered.
    if (!fresh || document.querySelector('[name=sure], [name=live]')) return;
    // A button that is being pressed stays until it is let go.
    if (document.querySelector('button:active')) return drawSoon();
    const focused = document.activeElement?.id ?? '';
    document.getElementById('dock')?.replaceWith(fresh);
    if (focused !== '') document.getElementById(focused)?.focus();
  };
  connect({ door: 'dock', secret }, { script, address: '/overlay/events' }, (notice) => {
    if (notice.kind === 'gone') return document.getElementById('dock')?.replaceChildren();
    if (notice.kind === 'board') return;
    // The first of a kind tells what the page was drawn with.
    if (notice.kind === 'moment' || begun.has(notice.kind)) drawSoon();
    begun.add(notice.kind);
  });
}
