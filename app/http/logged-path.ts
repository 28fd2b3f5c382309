/** A path as it is logged: without the secret of an overlay or a dock, or what somebody has left of one. */
export const loggedPath = (path: string): string =>
  path.replace(/^\/+(overlay|dock)\/+(?!events(\.data)?$).+/i, '/$1/[redacted]');
