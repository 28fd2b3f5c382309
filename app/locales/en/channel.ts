export const channel = {
  title: 'Your channel',
  text: 'What the bot says in your chat, who earns nothing, and who else may run rules there.',
  act: 'Channel settings',
  lede: 'How Keepsake behaves on {{channel}}.',
  saved: 'Channel settings saved',
  noTwitchTitle: 'No channel yet',
  noTwitch: 'Connect Twitch in your profile, and the settings of your channel are here.',
  chat: {
    title: 'In chat',
    text: 'Viewers can ask with !rewards, !progress, !watchtime and !claim. Commands are answered while a rule runs on the channel.',
    speaks:
      'The bot speaks as {{names}}. Make it a moderator with /mod: then it may say more, and the 100 chats that Twitch allows an account are no limit for your channel.',
    silent: 'No account of the bot is in the chats right now, so nothing is answered.',
    language: 'Language of the answers',
    own: 'As in my settings',
    announces: 'Tell in chat when somebody earned a reward',
    save: 'Save chat settings',
  },
  excluded: {
    title: 'Who earns nothing',
    label: 'Twitch names that earn no watch time',
    hint: 'One in a line. You and the known chat bots never earn any. What somebody has watched before stays.',
    save: 'Save names',
  },
  guests: {
    title: 'Other streamers',
    text: 'Streamers whom you admit can run rules of their own for viewers of your channel.',
    act: 'Guests on your channel',
  },
};
