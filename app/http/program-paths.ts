/** Addresses that programs call to sign in by a code. They expect errors in the form of RFC 6749, 5.2. */
const programPaths = new Set(['/oauth/device_authorization', '/oauth/token']);

export const isForPrograms = ({ url }: Request): boolean => programPaths.has(new URL(url).pathname);
