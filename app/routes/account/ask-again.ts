import type { ShouldRevalidateFunctionArgs } from 'react-router';

/**
 * Also revalidates after a refusal, which React Router does not do by itself, for pages that ask for a
 * passkey: the answer used its challenge up, and a second attempt needs another one.
 */
export const askAgainIfRefused = ({ actionStatus, defaultShouldRevalidate }: ShouldRevalidateFunctionArgs) =>
  defaultShouldRevalidate || (actionStatus ?? 0) >= 400;
