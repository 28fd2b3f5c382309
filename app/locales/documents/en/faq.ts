import type { PlainDocument } from '#app/components/shell/document-page.tsx';

export const faq: PlainDocument = {
  title: 'FAQ',
  lede: 'Short answers to what people ask most.',
  sections: [
    {
      heading: 'What is Keepsake?',
      text: [
        'Streamers write rules for their Twitch channel and attach Steam items to them. Viewers who meet the conditions of a rule are promised an item and claim it by a Steam trade offer.',
      ],
    },
    {
      heading: 'What do I need to earn rewards?',
      text: [
        'An account with a verified e-mail, and Twitch connected in your profile. To claim a reward you also need Steam connected, and your Steam trade link.',
        'What you watched before you signed up is not lost: minutes are counted for your Twitch account, and count for you once it is connected.',
      ],
    },
    {
      heading: 'What do I need to give rewards?',
      text: [
        'Twitch connected with the extended permissions, so that the conditions on your channel can be read; Steam connected; and items moved to one of our trade bots. Then write a rule and attach items to it.',
      ],
    },
    {
      heading: 'How do I know that a trade offer is really from Keepsake?',
      text: [
        'Every transfer has a security code. It stands on your transfers page and in the message of the offer: compare the two. An offer that delivers a reward gives you the item and takes nothing. We never ask for your password, and never for your items in a claim.',
      ],
    },
    {
      heading: 'Why can I not use an item for 7 days after a deposit?',
      text: [
        'Steam lets trades be reversed for 7 days. Until then a deposited item can be neither attached to a rule nor returned. The page says until when.',
      ],
    },
    {
      heading: 'What happens when I do not claim in time?',
      text: [
        'Each rule says how many hours you have. When they are over the reward goes back to the rule, for the next viewer. While our bot cannot deliver, that clock stands still.',
      ],
    },
    {
      heading: 'What happens to my channel points?',
      text: [
        'They are taken for good when the reward reached you. They come back to you when no reward was free, another condition was not met, or the reward was recalled. Your progress page says why.',
      ],
    },
    {
      heading: 'How is a random reward drawn?',
      text: [
        'By weight from what is free, in the order in which viewers met the rule. The rule publishes a sealed seed before its first draw and reveals it when it is closed; each draw has a public page, and a small script checks it without trusting us.',
      ],
    },
    {
      heading: 'My reward says “awaiting confirmation”.',
      text: [
        'A trade offer is being sent or waits for you on Steam. Accept it there. If Steam holds the trade, set up the Steam Guard mobile authenticator; the next ones arrive at once.',
      ],
    },
    {
      heading: 'I get no mail.',
      text: [
        'Look among unwanted mail, and check the address in your profile. The verification mail can be sent again from the page that asks for it. If nothing helps, write to us.',
      ],
    },
    {
      heading: 'Can I have my data, or leave?',
      text: [
        'Both in the settings: a file with your data, and a button that deletes the account. Items that are still with our bots must be returned first.',
      ],
    },
  ],
};
