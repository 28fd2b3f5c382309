import { useEffect, useState } from 'react';

const SHOWN_MS = 4000;

/** Copies a text; `copied` for a moment after. Not `able` without JavaScript, or on an insecure page. */
export function useCopy(text: string): { able: boolean; copied: boolean; copy: () => void } {
  const [able, setAble] = useState(false);
  const [copied, setCopied] = useState(false);
  useEffect(() => setAble('clipboard' in navigator), []);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  return { able, copied, copy: () => void navigator.clipboard.writeText(text).then(() => setCopied(true)) };
}
