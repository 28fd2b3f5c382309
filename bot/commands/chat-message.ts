/** A line that somebody wrote into a channel's chat. */
export interface ChatMessage {
  channelId: string;
  /** The channel's name in chat. */
  channelLogin: string;
  /** The writer's numeric id: names change hands. */
  twitchId: string;
  displayName: string;
  text: string;
}
