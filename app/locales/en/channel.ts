export const channel = {
  title: 'Your channel',
  text: 'What the bot says in your chat, who earns no watch time, and who else can run rules there.',
  act: 'Channel settings',
  lede: 'How Keepsake behaves on {{channel}}.',
  saved: 'Channel settings saved',
  noTwitchTitle: 'No channel yet',
  noTwitch: 'Connect Twitch in your profile to see your channel settings here.',
  chat: {
    title: 'In chat',
    text: 'Viewers can type !rewards, !progress, !watchtime and !claim. The bot answers while a rule is open on the channel.',
    speaks:
      'The bot speaks as {{names}}. Make it a moderator with /mod: it can then send more messages, and Twitch’s limit of 100 chats per account does not apply to your channel.',
    silent: 'The bot is not connected to chat right now, so it cannot answer.',
    faultTitle: 'The bot’s messages do not reach your chat',
    fault: {
      banned: 'The bot is banned or timed out there. Unban it with /unban, then make it a moderator.',
      suspended: 'Twitch says that the channel is suspended or does not exist.',
      restricted:
        'Your chat restricts messages: followers only, slow mode, AutoMod or the like. Make the bot a moderator.',
      tooFast: 'The bot would have to send messages faster than Twitch allows. Make it a moderator.',
      notAllowed:
        'The bot answers in more chats than Twitch lets it join without asking. Let it into yours, or make it a moderator with /mod.',
    },
    allow: 'Let the bot in',
    language: 'Language of the answers',
    own: 'Same as my settings',
    announces: 'Announce in chat when someone earns a reward',
    save: 'Save chat settings',
  },
  excluded: {
    title: 'Excluded viewers',
    label: 'Twitch names that earn no watch time',
    hint: 'One per line. You and known chat bots never earn any. Watch time already counted stays.',
    save: 'Save names',
  },
  guests: {
    title: 'Other streamers',
    text: 'Streamers you admit can run their own rules for viewers of your channel.',
    act: 'Guests on your channel',
  },
};
