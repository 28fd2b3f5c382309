import type { PlainDocument } from '#app/components/shell/document-page.tsx';

export const terms: PlainDocument = {
  title: 'Terms of service',
  lede: 'What you and the operator of this site promise each other.',
  sections: [
    {
      heading: 'What this is',
      text: [
        'This site runs Keepsake, with which streamers give Steam items to their Twitch viewers. “We” is whoever operates this site; you reach us by the contact form. It is not affiliated with Twitch or Valve.',
      ],
    },
    {
      heading: 'Your account',
      text: [
        'You must be old enough to use Twitch and Steam where you live. Give an e-mail address that is yours, keep your password to yourself, and use one account. You answer for what happens through your account.',
      ],
    },
    {
      heading: 'Viewers',
      text: [
        'A rule says what it asks and how long you have to claim. A promise is an item kept for you until that time is over; then it goes back to the rule. Each rule gives at most one reward to a Twitch account and one to a Steam account.',
        'Rewards are gifts of the streamer. They have no price here, are not exchanged for money, and cannot be passed on before they are claimed.',
      ],
    },
    {
      heading: 'Streamers',
      text: [
        'Items that you deposit stay yours until a viewer has claimed them. You may take back what is neither promised nor locked. A promise that was made stands, also when you close the rule.',
        'You see to it that your rules are lawful where you and your viewers live, and that they keep to the rules of Twitch. A prize drawn by chance behind a payment is a lottery in many places.',
      ],
    },
    {
      heading: 'Trades',
      text: [
        'Items travel by Steam trade offers, under the rules of Steam: trade holds, trade protection and bans are its own. We send an offer to the trade link in your profile and only to the Steam account that you connected. An offer that you decline or let expire is not a delivery.',
      ],
    },
    {
      heading: 'What is not allowed',
      text: ['We may close an account that does any of this; items that are its own are returned first.'],
      list: [
        'Watching by programs, or with several accounts, to earn more.',
        'Using somebody else’s account, or items that were come by dishonestly.',
        'Reversing trades of items that were deposited or claimed here.',
        'Attacking this site, or getting around its limits.',
      ],
    },
    {
      heading: 'What we answer for',
      text: [
        'We keep a ledger of every item and return what is yours. We cannot promise that Twitch, Steam or this site always work, and we do not answer for what those companies do to accounts or items. Rights that the law gives you stay untouched.',
      ],
    },
    {
      heading: 'Ending, and changes',
      text: [
        'You may delete your account at any time in the settings. When these terms change in a way that matters to you, we say so by mail or on this site before it takes effect; who goes on using the site afterwards agrees.',
      ],
    },
  ],
};
