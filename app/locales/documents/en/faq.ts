import type { PlainDocument } from '#app/components/shell/document-page.tsx';

export const faq: PlainDocument = {
  title: 'FAQ',
  lede: 'Short answers to the most common questions.',
  contents: 'On this page',
  sections: [
    {
      id: 'keepsake',
      heading: 'What is Keepsake?',
      text: [
        'Streamers create rules for their Twitch channel and attach Steam items to them. Viewers who meet a rule are promised an item, and claim it through a Steam trade offer.',
      ],
    },
    {
      id: 'earn',
      heading: 'What do I need to earn rewards?',
      text: [
        'An account with a verified email, and Twitch connected in your profile. To claim a reward you also need Steam connected and your Steam trade link.',
        'Watch time from before you signed up is not lost: it is counted for your Twitch account and becomes yours once you connect it.',
      ],
    },
    {
      id: 'watch-time',
      heading: 'Why isn’t my watch time counting?',
      text: [
        'Time counts while Twitch lists you in the chat: keep the chat of the channel open while you watch. We look once a minute, and your progress says whether the last look found you.',
        'Time does not count for accounts that the streamer excluded, for accounts on a list of bots, or in more live channels than count at once. Your progress says so, and lists the intervals in which Twitch did not answer.',
      ],
    },
    {
      id: 'give',
      heading: 'What do I need to give rewards?',
      text: [
        'Connect Twitch with the extended permissions, so that we can check the conditions on your channel. Connect Steam and deposit items with one of our trade bots. Then create a rule and add the items to it.',
      ],
    },
    {
      id: 'trade-offer',
      heading: 'How do I know that a trade offer is really from Keepsake?',
      text: [
        'Every transfer has a security code. Your transfers page and the message of the trade offer show the same code: compare them. When you claim a reward, you receive the item and give nothing. We never ask for your password, and a claim never asks for your items.',
      ],
    },
    {
      id: 'deposit-lock',
      heading: 'Why can’t I give an item away right after a deposit?',
      text: [
        'Steam can reverse a trade for 7 days, counted in whole days, so a deposited item stays locked for 7 to 8 days. Until then, it can neither be added to a rule nor returned. Your items page shows when it becomes available.',
      ],
    },
    {
      id: 'deadline',
      heading: 'What happens if I don’t claim in time?',
      text: [
        'Each rule says how many hours you have. After that, the reward goes back to the rule, for the next viewer. The time is paused while our bots cannot deliver.',
      ],
    },
    {
      id: 'channel-points',
      heading: 'What happens to my channel points?',
      text: [
        'They are spent once the reward is delivered to you. They are refunded if no reward was free, another condition was not met, or the reward was recalled. Your progress page shows the reason.',
      ],
    },
    {
      id: 'draws',
      heading: 'How is a random reward drawn?',
      text: [
        'Viewers are served one at a time, in the order in which they met the rule. Each draw picks one of the free rewards, and a larger weight means a larger chance. The rule publishes a hash of its seed before the first draw, and the seed itself when it is deleted. Each draw has a public page, and a small script checks the results, so you don’t have to trust us.',
      ],
    },
    {
      id: 'awaiting-confirmation',
      heading: 'What does “Awaiting confirmation” mean?',
      text: [
        'Your trade offer is being prepared, or waits for you on Steam: accept it there. If Steam holds the trade, set up the Steam Guard mobile authenticator so that later ones arrive at once.',
      ],
    },
    {
      id: 'email',
      heading: 'Why don’t I get any email?',
      text: [
        'Everybody gets an email when a reward is ready to claim, another six hours before its time ends, and one if a claim fails. Emails about deliveries are part of paid viewer plans, if there are any here. Each kind can be switched off in the settings.',
        'If one is missing, check your spam folder, and the address in your profile. You can request the verification email again on the page that asks you to verify your email. If nothing helps, contact us.',
      ],
    },
    {
      id: 'data',
      heading: 'Can I download my data or delete my account?',
      text: ['Yes, both in the settings. Items that our bots still hold must be returned to you first.'],
    },
  ],
};
