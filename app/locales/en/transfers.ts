export const transfers = {
  compare: 'Compare this code',
  compareText: 'The same code is in the message of the trade offer. If it differs, decline.',
  botRole: 'Our bot on Steam',
  steamId: 'SteamID',
  memberSince: 'On Steam since',
  offerId: 'Trade offer',
  openOffer: 'Open the offer on Steam',
  neverAsks: 'We never ask for your items in a claim. The offer gives, and takes nothing.',
} as const;
