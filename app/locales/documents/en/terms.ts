import type { PlainDocument } from '#app/components/shell/document-page.tsx';

export const terms: PlainDocument = {
  title: 'Terms of service',
  lede: 'What you and the operator of this site agree on.',
  sections: [
    {
      heading: 'What this is',
      text: [
        'This site runs Keepsake, which streamers use to give Steam items to their Twitch viewers. “We” means whoever operates this site; you can reach us through the contact form. This site is not affiliated with Twitch or Valve.',
      ],
    },
    {
      heading: 'Your account',
      text: [
        'You must be old enough to use Twitch and Steam where you live. Use your own email address, keep your password to yourself, and have only one account. You are responsible for what happens through your account.',
      ],
    },
    {
      heading: 'Viewers',
      text: [
        'A rule says what you have to do and how long you have to claim. A promised reward is an item kept for you until that time is over; then it goes back to the rule. Each rule gives at most one reward to a Twitch account and one to a Steam account.',
        'Rewards are gifts from the streamer. They have no price here, cannot be exchanged for money, and cannot be passed on before they are claimed.',
      ],
    },
    {
      heading: 'Streamers',
      text: [
        'Items you deposit stay yours until they are delivered to a viewer. You can have anything returned that is neither promised nor locked. A promised reward can still be claimed after you delete the rule.',
        'You are responsible for making sure that your rules are legal where you and your viewers live, and that they follow Twitch’s rules. In many places, a prize that depends on chance and costs something is a lottery.',
      ],
    },
    {
      heading: 'Trades',
      text: [
        'Items move through Steam trade offers, under Steam’s rules: trade holds, trade protection and bans are up to Steam. We send offers to the trade link in your profile, and only to the Steam account you connected. An offer that you decline or let expire does not count as delivered.',
      ],
    },
    {
      heading: 'What is not allowed',
      text: ['We may close your account if you do any of the following. We return your own items first.'],
      list: [
        'Watching with bots or several accounts to earn more.',
        'Using someone else’s account, or items that were obtained dishonestly.',
        'Reversing trades of items that were deposited or claimed here.',
        'Attacking this site, or getting around its limits.',
      ],
    },
    {
      heading: 'What we are responsible for',
      text: [
        'We keep a record of every item and return what is yours. We cannot promise that Twitch, Steam or this site always work, and we are not responsible for what Twitch and Steam do to accounts or items. This does not limit your rights under the law.',
      ],
    },
    {
      heading: 'Ending and changes',
      text: [
        'You can delete your account at any time in the settings. If these terms change in a way that matters to you, we will tell you by email or on this site before the change takes effect. If you keep using the site after that, you accept the new terms.',
      ],
    },
  ],
};
