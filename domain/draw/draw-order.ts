type Kind = { appId: number; marketHashName: string };

/** The order in which a draw counts its candidates: by app, then by the bytes of the market hash name, the same in every store. */
export const inDrawOrder = (a: Kind, b: Kind): number =>
  a.appId - b.appId || Buffer.compare(Buffer.from(a.marketHashName), Buffer.from(b.marketHashName));
