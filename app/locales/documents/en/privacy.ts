import type { PlainDocument } from '#app/components/shell/document-page.tsx';

export const privacy: PlainDocument = {
  title: 'Privacy policy',
  lede: 'What this site knows about you, why, and for how long.',
  sections: [
    {
      heading: 'Who is responsible',
      text: ['The operator of this site. You can reach them through the contact form.'],
    },
    {
      heading: 'What we store',
      text: ['Only what the site needs to work:'],
      list: [
        'Account: your name, email address, language, and a hash of your password, from which the password cannot be recovered.',
        'Two-factor authentication, if you use it: the encrypted secret of your app, names, public keys and last use of your passkeys, and hashes of your recovery codes.',
        'Sessions: when and with which browser you signed in. They end after 30 days without a visit, and 180 days after you signed in at the latest.',
        'Devices on which you turned notices on: the address and keys that their browser gave us for it, encrypted, the browser’s name, and what you want to hear of. We forget the address when you turn notices off or sign out there, or when it no longer works.',
        'API tokens, also those of the companion app: their names, when they were last used, and hashes of them.',
        'If you buy a plan: your customer number at Stripe, the plan, its state and its dates. Your card and your bills are stored at Stripe only.',
        'Twitch: your numeric id, names and picture, and the permissions you gave. Tokens are encrypted.',
        'Steam: your SteamID, name and trade link.',
        'Watch time: the minutes in which your Twitch account was in the chat of a live channel that uses Keepsake. It is also counted for people without an account here, by Twitch id alone, so that they do not lose it if they sign up later.',
        'Attended streams: how many streams of a channel whose rules ask for them your Twitch account watched for ten minutes or longer, and which of them last. Like watch time, they are counted with or without an account here.',
        'Follows and subscriptions to channels whose rules require them.',
        'Rewards, items and transfers: a ledger of who held what and when. Its entries are never changed.',
        'Messages you send through the contact form.',
        'Protection against abuse, only as keyed hashes, from which nothing can be recovered: your network address, for at most a few hours; an email address that was typed where attempts are limited, for at most a day; and, for 30 days, a mark that we wrote to you about an API token.',
      ],
    },
    {
      heading: 'Who else sees it',
      text: [
        'Twitch and Steam, when you connect them or trade. Stripe, if you buy a plan: your email address, your name here and what you buy; it processes the payment. The mail server, when it delivers our email. The push service of your browser’s maker, when you turned notices on: when a notice is for you, but not what it says, which only your browser can read. Streamers see the Twitch name and progress of viewers of their own rules. If this site uses Cloudflare Turnstile as its captcha, Cloudflare’s script runs on the pages that show it. Nobody else. We sell nothing and show no advertising.',
        'One thing is public: if a reward is drawn, the proof of the draw shows your numeric Twitch id and what was drawn, so that anyone can check it.',
      ],
    },
    {
      heading: 'For how long',
      text: [
        'As long as you have an account. When you delete it, we erase your name, address and password, your sessions and tokens, the messages you sent us while signed in, and your connections to Twitch and Steam with names, pictures, permissions and trade link. We also erase the watch time, attended streams, follows and subscriptions of the Twitch account that is connected at that moment. From then on, its watch time is counted as for anyone without an account here.',
        'What happened to items stays on record, because it concerns other people too:',
      ],
      list: [
        'The ledger, the transfers and the history of rewards, without your name. A reward that you were promised keeps the numeric id of your Twitch account; a trade offer or claimed reward keeps the SteamID. Without them, someone could be given the same reward twice, and we could not ask Steam about a trade.',
        'Your customer number at Stripe with the plans you had, so that a late payment finds whom it belongs to, and the Twitch ids that have used a trial.',
        'Proofs of draws, with that numeric id. Nobody could check them without it.',
        'Rules you created, no longer running, with the names you gave them and the numeric id of your channel. The channel’s name and picture are erased.',
        'Messages that have already reached the operator’s mailbox, and, for 30 days, a record that an email was sent to one of your earlier addresses.',
      ],
    },
    {
      heading: 'Your rights',
      text: [
        'You can download your data and delete your account in the settings, and correct your data in your profile. For your other rights under the law (to object, to restrict processing, to complain to an authority), contact us.',
      ],
    },
    {
      heading: 'Cookies',
      text: ['See the cookie policy.'],
    },
  ],
};
