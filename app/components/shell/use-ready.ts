import { useEffect, useState } from 'react';
import watchScript from '#app/islands/watch-ready.ts?worker&url';
import type { UserSummary } from './page-context.tsx';

/** Keeps the number of rewards that are ready to claim while a page stays open; `watch-ready.ts` follows it. */
export function useReady(user: UserSummary | null): UserSummary | null {
  const known = user?.verified ? user.readyCount : null;
  const [count, setCount] = useState(known);
  useEffect(() => {
    const receive = (event: Event) => setCount((event as CustomEvent<number>).detail);
    document.addEventListener('readycount', receive);
    return () => document.removeEventListener('readycount', receive);
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a page that is loaded again may bring the same count.
  useEffect(() => {
    const { dataset } = document.documentElement;
    if (known === null) delete dataset.ready;
    else {
      dataset.ready = String(known);
      void import(/* @vite-ignore */ watchScript);
    }
  }, [user, known]);
  return user && { ...user, readyCount: count ?? user.readyCount };
}
