import { useEffect, useRef, useState } from 'react';
import { useNavigation, useRevalidator } from 'react-router';

const firstWaitMs = 1_000;
const longestWaitMs = 30_000;
const gatherMs = 250;

/** Returns how many milliseconds later a change reloads the page; Infinity if the page shows it without. */
export type Lateness = (change: string) => number;

/**
 * Reloads the page's data when the server reports a change, also one from shortly before the stream was opened. A lost stream is reopened after a delay
 * that doubles, with jitter so that not all clients reconnect at once after a restart. Returns whether it is open.
 */
export function useLiveUpdates(path: string, late?: Lateness): boolean {
  const [live, setLive] = useState(false);
  const { revalidate } = useRevalidator();
  const busy = useNavigation().state !== 'idle';
  const page = useRef({ revalidate, busy, late });
  page.current = { revalidate, busy, late };
  useEffect(() => {
    let source: EventSource | null = null;
    let again: ReturnType<typeof setTimeout> | undefined;
    let gathering: ReturnType<typeof setTimeout> | undefined;
    let dueInMs = Infinity;
    let waitMs = firstWaitMs;
    const changed = (lateMs = 0) => {
      // One action often causes several events; one reload is enough, for the one that may wait least.
      if (lateMs >= dueInMs) return;
      dueInMs = lateMs;
      clearTimeout(gathering);
      gathering = setTimeout(() => {
        dueInMs = Infinity;
        // Reloading now would restart the navigation and lose the message for the next page.
        if (page.current.busy) changed();
        else void page.current.revalidate();
      }, gatherMs + lateMs);
    };
    const open = () => {
      source = new EventSource(path);
      source.onopen = () => {
        // The server sends the events that a fresh page missed; this one may have missed more.
        if (waitMs > firstWaitMs) changed();
        waitMs = firstWaitMs;
        setLive(true);
      };
      source.onmessage = ({ data }) => changed(page.current.late?.(data));
      source.onerror = () => {
        source?.close();
        setLive(false);
        again = setTimeout(open, waitMs * (0.5 + Math.random()));
        waitMs = Math.min(waitMs * 2, longestWaitMs);
      };
    };
    const mark = (isLive: boolean) => document.documentElement.toggleAttribute('data-live', isLive);
    open();
    // Nothing else on the page needs a stream then.
    mark(true);
    return () => {
      mark(false);
      clearTimeout(again);
      clearTimeout(gathering);
      source?.close();
    };
  }, [path]);
  return live;
}
