/**
 * A path as it is logged. An overlay's and a dock's address has a secret of 43 characters; nothing else that stands
 * between slashes is as long.
 */
export const loggedPath = (path: string): string => path.replace(/\/[^/]{43,}/g, '/[redacted]');
