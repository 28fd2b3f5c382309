import type { ShouldRevalidateFunctionArgs } from 'react-router';

/**
 * Reads a page that asks for a passkey again after a refusal too, which React Router leaves out: the answer used its
 * challenge up, and a second try needs another one.
 */
export const askAgainIfRefused = ({ actionStatus, defaultShouldRevalidate }: ShouldRevalidateFunctionArgs) =>
  defaultShouldRevalidate || (actionStatus ?? 0) >= 400;
