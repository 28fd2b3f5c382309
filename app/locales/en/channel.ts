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
    text: 'Viewers can type {{commands}}. The bot answers while a rule is open on the channel; several who ask at once get one line.',
    noCommands: 'All chat commands are off.',
    collides:
      'StreamElements answers {{commands}} too, unless you switched its command off. Rename ours, or switch one of the two off.',
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
      shared:
        'Your chat is shared with other channels, where the bot’s messages would show too, so it sends none for now. Let it in or make it a moderator, and they stay in your chat; if that is done already, the operator of this site has to connect the bot’s account again.',
      notConnected:
        'None of the bot’s accounts is connected. Only the operator of this site can connect one.',
    },
    allow: 'Let the bot in',
    language: 'Language of the answers',
    own: 'Same as my settings',
    announces: 'Announce in chat when someone earns a reward',
    save: 'Save chat settings',
  },
  check: {
    title: 'Last stream, checked',
    firstTitle: 'Your first stream, checked',
    none: 'Nothing to compare yet. While you stream with an open rule, this compares Twitch’s number of viewers with who is in your chat.',
    now: 'Looked at {{time}}.',
    last: 'Last look before the stream ended: {{time}}.',
    viewers: 'Viewers according to Twitch: {{viewers}}.',
    people: 'In chat: {{people}}.',
    outside: 'Without the chat (closed, on a TV or signed out): about {{people}}.',
    bots: 'Bots left out: {{bots}}.',
    why: 'Time counts for those whom Twitch lists in the chat. Tell your viewers to keep it open.',
  },
  commands: {
    title: 'Chat commands',
    act: 'Change commands',
    lede: 'Commands that your viewers can type in chat.',
    list: 'Commands',
    text: 'Rename a command, or switch it off if another bot answers the same one. Up to {{count}} letters, digits, hyphens and underscores.',
    rewards: 'What can be won now',
    progress: 'The viewer’s progress',
    watchTime: 'The viewer’s watch time',
    claim: 'Rewards ready to claim',
    name: 'Command, without “!”',
    on: 'The bot answers it',
    collides:
      'StreamElements answers !{{name}} too, unless you switched its command off: viewers would get two answers.',
    usual: 'Usually !{{name}}.',
    save: 'Save commands',
  },
  excluded: {
    title: 'Excluded viewers',
    label: 'Twitch names that earn no watch time',
    hint: 'One per line. You and known chat bots never earn any. Watch time already counted stays.',
    save: 'Save names',
  },
  raffles: {
    title: 'Raffles in chat',
    text: 'Viewers enter with a word in your chat, and the draw can be checked by anybody.',
    act: 'Prepare a raffle',
  },
  overlay: {
    title: 'Overlay',
    text: 'Shows rewards, who is next, and who won on your stream.',
    act: 'Set up the overlay',
  },
  guests: {
    title: 'Other streamers',
    text: 'Streamers you admit can run their own rules for viewers of your channel.',
    act: 'Guests on your channel',
  },
};
