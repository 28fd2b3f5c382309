import { type ReactNode, useEffect, useState } from 'react';
import { useLocation, useNavigation } from 'react-router';
import { Skeleton } from '#app/components/lists/list-states.tsx';

/** A page that loads within this time needs no skeleton; showing one would only flicker. */
const SKELETON_DELAY_MS = 400;

/** What is on the screen, or rows on their way once another page takes its time. What was typed here is kept. */
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
  return (
    <>
      <div hidden={slow}>{children}</div>
      {slow && <Skeleton rows={6} />}
    </>
  );
}
