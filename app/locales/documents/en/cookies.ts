import type { PlainDocument } from '#app/components/shell/document-page.tsx';

export const cookies: PlainDocument = {
  title: 'Cookie policy',
  lede: 'Every cookie that this site sets, and what it is for.',
  sections: [
    {
      heading: 'Essential cookies',
      text: ['The site does not work without them, so they need no consent. All of them are our own.'],
      list: [
        'keepsake_session – keeps you signed in; 30 days since your last visit.',
        'keepsake_language, keepsake_theme – what you chose; one year.',
        'keepsake_time_zone – your time zone, so that times read right; as your browser reports it.',
        'keepsake_toast – a message for the next page; one minute.',
        'keepsake_twitch, keepsake_steam, keepsake_from – tie a sign-in to the browser that began it, and lead back to where it began; a few minutes.',
        'XSRF-TOKEN – protects calls of the companion app’s interface from other sites.',
      ],
    },
    {
      heading: 'Optional cookies',
      text: [
        'There are none at present: no analytics, no advertising. If that changes, they are listed here and load only for those who chose “Accept all”.',
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
        'The banner stores your answer (its kind, the date, version 1.0) in the local storage of this browser, not in a cookie. After 365 days it asks again. To choose anew earlier, press “Cookie settings” here.',
      ],
    },
  ],
};
