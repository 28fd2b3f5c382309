import type { PlainDocument } from '#app/components/shell/document-page.tsx';

export const privacy: PlainDocument = {
  title: 'Privacy policy',
  lede: 'What this site knows of you, why, and for how long.',
  sections: [
    {
      heading: 'Who is responsible',
      text: ['The operator of this site. You reach them by the contact form.'],
    },
    {
      heading: 'What is stored',
      text: ['Only what the product needs to work:'],
      list: [
        'Account: name, e-mail address, language, and a hash of your password, from which it cannot be read.',
        'Sessions: when and with which browser you signed in. They end after 30 days without a visit.',
        'Twitch: your numeric id, names and picture, and the permissions you gave. The tokens are encrypted.',
        'Steam: your SteamID, name and trade link.',
        'Watch time: the minutes for which your Twitch account was seen in the chat of a channel that uses Keepsake while it streamed. This is also counted for people who have no account here, by their Twitch id alone, so that nobody loses what they watched before.',
        'Follows and subscriptions to channels that ask for them in a rule.',
        'Rewards, items and transfers: an append-only ledger of who held what, and when.',
        'Messages that you write by the contact form.',
        'Limits against abuse: a keyed hash of your network address, from which it cannot be read, for at most a few hours.',
      ],
    },
    {
      heading: 'Who else sees it',
      text: [
        'Twitch and Steam, when you connect them or trade. The mail server that delivers our mail. Streamers see the Twitch name and progress of viewers of their own rules. If this site has set up Cloudflare Turnstile as its captcha, Cloudflare sees your browser on the pages that show it. Nobody else; nothing is sold, and there is no advertising.',
        'One thing is public: where a reward is drawn, the proof of the draw shows your numeric Twitch id and what was drawn, so that everybody can check it.',
      ],
    },
    {
      heading: 'For how long',
      text: [
        'As long as your account exists. When you delete it, we erase your name, address and password, your sessions and tokens, what you wrote to us while signed in, your connections to Twitch and Steam with names, pictures, permissions and trade link, and the watch time, follows and subscriptions of the Twitch account that is connected then. From then on its watch time is counted as for everyone who has no account here.',
        'What happened to items stays on record, because it concerns others as well:',
      ],
      list: [
        'The ledger, the transfers and the history of rewards, without your name. With a reward that you were promised stays the numeric id of your Twitch account, and with a trade offer or a claimed reward the SteamID: by them nobody is given the same reward twice, and Steam can be asked about a trade.',
        'Proofs of draws, with that numeric id: without it nobody could check them.',
        'Rules that you made, closed, with the names that you gave them and the numeric id of your channel. The name and the picture of the channel are erased.',
        'Messages that had reached the operator’s mailbox, and, for 30 days, that a mail went to an address which you had before.',
      ],
    },
    {
      heading: 'Your rights',
      text: [
        'In the settings you can download your data, correct it in your profile, and delete the account. For everything else that the law gives you (to object, to restrict, to complain to an authority), write to us.',
      ],
    },
    {
      heading: 'Cookies',
      text: ['They have a page of their own: the cookie policy.'],
    },
  ],
};
