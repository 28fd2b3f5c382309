import type { PlainDocument } from '#app/components/shell/document-page.tsx';

export const faq: PlainDocument = {
  title: 'FAQ',
  lede: 'Short answers to the most common questions.',
  sections: [
    {
      heading: 'What is Keepsake?',
      text: [
        'Streamers create rules for their Twitch channel and attach Steam items to them. Viewers who meet a rule are promised an item, and claim it through a Steam trade offer.',
      ],
    },
    {
      heading: 'What do I need to earn rewards?',
      text: [
        'An account with a verified email, and Twitch connected in your profile. To claim a reward you also need Steam connected and your Steam trade link.',
        'Watch time from before you signed up is not lost: it is counted for your Twitch account and becomes yours once you connect it.',
      ],
    },
    {
      heading: 'What do I need to give rewards?',
      text: [
        'Connect Twitch with the extended permissions, so that we can check the conditions on your channel. Connect Steam and deposit items with one of our trade bots. Then create a rule and add the items to it.',
      ],
    },
    {
      heading: 'How do I know that a trade offer is really from Keepsake?',
      text: [
        'Every transfer has a security code. Your transfers page and the message of the trade offer show the same code: compare them. When you claim a reward, you receive the item and give nothing. We never ask for your password, and a claim never asks for your items.',
      ],
    },
    {
      heading: 'Why can’t I give an item away right after a deposit?',
      text: [
        'Steam can reverse a trade for 7 days, counted in whole days, so a deposited item stays locked for 7 to 8 days. Until then, it can neither be added to a rule nor returned. Your items page shows when it becomes available.',
      ],
    },
    {
      heading: 'What happens if I don’t claim in time?',
      text: [
        'Each rule says how many hours you have. After that, the reward goes back to the rule, for the next viewer. The time is paused while our bots cannot deliver.',
      ],
    },
    {
      heading: 'What happens to my channel points?',
      text: [
        'They are spent once the reward is delivered to you. They are refunded if no reward was free, another condition was not met, or the reward was recalled. Your progress page shows the reason.',
      ],
    },
    {
      heading: 'How is a random reward drawn?',
      text: [
        'Viewers are served one at a time, in the order in which they met the rule. Each draw picks one of the free rewards, and a larger weight means a larger chance. The rule publishes a hash of its seed before the first draw, and the seed itself when it is deleted. Each draw has a public page, and a small script checks the results, so you don’t have to trust us.',
      ],
    },
    {
      heading: 'What does “Awaiting confirmation” mean?',
      text: [
        'Your trade offer is being prepared, or waits for you on Steam: accept it there. If Steam holds the trade, set up the Steam Guard mobile authenticator so that later ones arrive at once.',
      ],
    },
    {
      heading: 'Why don’t I get any email?',
      text: [
        'Check your spam folder, and the address in your profile. You can request the verification email again on the page that asks you to verify your email. If nothing helps, contact us.',
      ],
    },
    {
      heading: 'Can I download my data or delete my account?',
      text: ['Yes, both in the settings. Items that our bots still hold must be returned to you first.'],
    },
  ],
};
