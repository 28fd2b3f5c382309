import { channels } from '#db/schema/channel.ts';

/** The channel fields shown wherever a channel is named. */
export interface ChannelSummary {
  id: string;
  login: string;
  displayName: string;
  pictureUrl: string;
  live: boolean;
}

export const channelSummaryColumns = {
  id: channels.id,
  login: channels.login,
  displayName: channels.displayName,
  pictureUrl: channels.pictureUrl,
  live: channels.live,
};
