type Kind = { appId: number; marketHashName: string };

/**
 * The order in which a draw counts its candidates: by app id, then by the bytes of the market hash name, identical on
 * every database.
 */
export const inDrawOrder = (a: Kind, b: Kind): number =>
  a.appId - b.appId || Buffer.compare(Buffer.from(a.marketHashName), Buffer.from(b.marketHashName));
