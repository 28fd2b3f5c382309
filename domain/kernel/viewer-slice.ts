import { and, type Column, gt, lte, type SQL } from 'drizzle-orm';

/** A range of Twitch ids: after `after`, up to and including `last`; null means to the end. */
export interface ViewerSlice {
  after: string;
  last: string | null;
}

/** Matches Twitch ids in the slice: a range on the last column of a key. */
export const inSlice = ({ after, last }: ViewerSlice, twitchId: Column): SQL | undefined =>
  and(gt(twitchId, after), last === null ? undefined : lte(twitchId, last));
