/** A message in a channel's chat. */
export interface ChatMessage {
  /** Twitch's id of the message, the same over IRC and in events. */
  id: string;
  channelId: string;
  /** The channel's name in chat. */
  channelLogin: string;
  /** The author's numeric id: names can change hands. */
  twitchId: string;
  /** The author's login, always in Latin letters; a displayed name may differ from it. */
  login: string;
  displayName: string;
  text: string;
  /** The time it was written, by Twitch's system time. */
  sentAtMs: number;
  /** Set if Twitch shows the author as a moderator of the channel, or as its broadcaster. */
  isModerator?: true;
}
