import { and, type Column, gt, lte, type SQL } from 'drizzle-orm';

/** Viewers whose Twitch ids come after one, up to and with another; null: up to the end. */
export interface ViewerSlice {
  after: string;
  last: string | null;
}

/** Whether a column of Twitch ids is in the slice: a range of a key that begins with what the query asks for. */
export const inSlice = ({ after, last }: ViewerSlice, twitchId: Column): SQL | undefined =>
  and(gt(twitchId, after), last === null ? undefined : lte(twitchId, last));
