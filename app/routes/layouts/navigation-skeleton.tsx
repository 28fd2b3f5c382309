import { type ReactNode, useEffect, useState } from 'react';
import { useLocation, useNavigation } from 'react-router';
import { Skeleton } from '#app/components/lists/list-states.tsx';

/** A page that loads faster than this needs no skeleton, which would only flicker. */
const SKELETON_DELAY_MS = 400;

/**
 * The current page, or placeholder rows while a slow page loads. The current page stays mounted, so typed text is
 * kept.
 */
export function NavigationSkeleton({ children }: { children: ReactNode }) {
  const { state, location } = useNavigation();
  const { pathname } = useLocation();
  const leaving = state === 'loading' && location !== undefined && location.pathname !== pathname;
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    if (!leaving) return setSlow(false);
    const timer = setTimeout(() => setSlow(true), SKELETON_DELAY_MS);
    return () => clearTimeout(timer);
  }, [leaving]);
  // The effect resets `slow` after the next page is drawn, and a hidden field cannot take the focus.
  const shown = slow && leaving;
  return (
    <>
      <div hidden={shown}>{children}</div>
      {shown && <Skeleton rows={6} />}
    </>
  );
}
