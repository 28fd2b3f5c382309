import { useEffect, useRef, useState } from 'react';
import { useNavigation, useRevalidator } from 'react-router';

const firstWaitMs = 1_000;
const longestWaitMs = 30_000;
const gatherMs = 250;

/**
 * Draws the page anew when the server tells of a change. A lost stream is opened again after a wait that
 * doubles, with some chance in it so that a restart is not met by everybody at once. Answers whether the
 * page follows live right now.
 */
export function useLiveUpdates(path: string): boolean {
  const [live, setLive] = useState(false);
  const { revalidate } = useRevalidator();
  const busy = useNavigation().state !== 'idle';
  const page = useRef({ revalidate, busy });
  page.current = { revalidate, busy };
  useEffect(() => {
    let source: EventSource | null = null;
    let again: ReturnType<typeof setTimeout> | undefined;
    let gathering: ReturnType<typeof setTimeout> | undefined;
    let waitMs = firstWaitMs;
    let lost = false;
    const changed = () => {
      // One act often makes several events; one look is enough for them.
      gathering ??= setTimeout(() => {
        gathering = undefined;
        // Looking now would start the way to the next page anew, and lose the message that waits there.
        if (page.current.busy) changed();
        else void page.current.revalidate();
      }, gatherMs);
    };
    const open = () => {
      source = new EventSource(path);
      source.onopen = () => {
        waitMs = firstWaitMs;
        setLive(true);
        if (lost) changed();
        lost = false;
      };
      source.onmessage = changed;
      source.onerror = () => {
        source?.close();
        setLive(false);
        lost = true;
        again = setTimeout(open, waitMs * (0.5 + Math.random()));
        waitMs = Math.min(waitMs * 2, longestWaitMs);
      };
    };
    open();
    return () => {
      clearTimeout(again);
      clearTimeout(gathering);
      source?.close();
    };
  }, [path]);
  return live;
}
