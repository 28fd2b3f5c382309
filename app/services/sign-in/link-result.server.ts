import type { LinkedAccount } from '#app/routes/extension/link-result.tsx';

/** The page on which a linking for the companion app ends; `code` is the error, if it failed. */
export function resultPage(account: LinkedAccount, code: string | null): string {
  const query = new URLSearchParams({ account, ...(code !== null && { reason: code }) });
  const page = code === null ? 'success' : 'failed';
  return `/extension/${page}?${query}`;
}
