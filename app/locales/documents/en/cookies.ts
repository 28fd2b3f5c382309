import type { PlainDocument } from '#app/components/shell/document-page.tsx';

export const cookies: PlainDocument = {
  title: 'Cookie policy',
  lede: 'Every cookie this site sets, and what it is for.',
  sections: [
    {
      heading: 'Essential cookies',
      text: [
        'The site does not work without them, so they need no consent. All of them are ours. With https their names begin with __Host-, except XSRF-TOKEN, so that browsers take them from this site alone.',
      ],
      list: [
        'keepsake_session – keeps you signed in; until 30 days after your last visit, and 180 days after you signed in at the latest.',
        'keepsake_language, keepsake_theme – your choice; one year.',
        'keepsake_time_zone – your time zone as your browser reports it, so that times are shown correctly, in emails too (your account stores it); one year.',
        'keepsake_toast – a message for the next page; one minute.',
        'keepsake_twitch, keepsake_steam – tie a sign-in to the browser you started it in; a few minutes.',
        'keepsake_second_step – ties the second step of a sign-in to your browser; ten minutes.',
        'keepsake_passkey – what a passkey has to sign when you sign in with it; ten minutes.',
        'keepsake_device – remembers that you signed up or in with this browser, so that somebody who tries to guess your password does not keep you out, and ends notices of another account when you sign in here; one year.',
        'XSRF-TOKEN – protects API requests from other sites.',
      ],
    },
    {
      heading: 'Optional cookies',
      text: [
        'There are none: no analytics, no advertising. If that changes, they will be listed here and load only if you choose “Accept all”.',
      ],
    },
    {
      heading: 'Captcha',
      text: [
        'By default our own captcha runs in your browser and sets no cookie. If the operator has set up Cloudflare Turnstile instead, Cloudflare’s script runs on the pages that show it.',
      ],
    },
    {
      heading: 'Your choice',
      text: [
        'The banner stores your answer (your choice, the date, version 1.0) in this browser’s local storage, not in a cookie. After 365 days it asks again. To change your choice earlier, press “Cookie settings” on this page.',
      ],
    },
  ],
};
