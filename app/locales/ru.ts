import type { en } from './en.ts';
import { announce } from './ru/announce.ts';
import { api } from './ru/api.ts';
import { apiCalls } from './ru/api-calls.ts';
import { apiResources } from './ru/api-resources.ts';
import { auth } from './ru/auth.ts';
import { billing } from './ru/billing.ts';
import { browse } from './ru/browse.ts';
import { captcha } from './ru/captcha.ts';
import { channel } from './ru/channel.ts';
import { channelPage } from './ru/channel-page.ts';
import { common } from './ru/common.ts';
import { contact } from './ru/contact.ts';
import { cookieConsent } from './ru/cookie-consent.ts';
import { correct } from './ru/correct.ts';
import { dashboard } from './ru/dashboard.ts';
import { device } from './ru/device.ts';
import { errors } from './ru/errors.ts';
import { extension } from './ru/extension.ts';
import { given } from './ru/given.ts';
import { guests } from './ru/guests.ts';
import { history } from './ru/history.ts';
import { identity } from './ru/identity.ts';
import { items } from './ru/items.ts';
import { landing } from './ru/landing.ts';
import { messages } from './ru/messages.ts';
import { operator } from './ru/operator.ts';
import { overlay } from './ru/overlay.ts';
import { pause } from './ru/pause.ts';
import { profile } from './ru/profile.ts';
import { progress } from './ru/progress.ts';
import { proof } from './ru/proof.ts';
import { raffle } from './ru/raffle.ts';
import { recovery } from './ru/recovery.ts';
import { rewards } from './ru/rewards.ts';
import { rules } from './ru/rules.ts';
import { secondFactor } from './ru/second-factor.ts';
import { settings } from './ru/settings.ts';
import { share } from './ru/share.ts';
import { shell } from './ru/shell.ts';
import { transfers } from './ru/transfers.ts';
import { win } from './ru/win.ts';
import type { Russian } from './russian.ts';

export const ru = {
  api,
  apiCalls,
  apiResources,
  auth,
  billing,
  browse,
  captcha,
  channel,
  channelPage,
  common,
  contact,
  cookie_consent: cookieConsent,
  dashboard,
  device,
  errors,
  extension,
  given,
  correct,
  guests,
  history,
  identity,
  items,
  landing,
  messages,
  operator,
  overlay,
  pause,
  profile,
  progress,
  proof,
  raffle,
  recovery,
  rewards,
  rules,
  secondFactor,
  settings,
  share,
  shell,
  announce,
  transfers,
  win,
} as const satisfies Russian<typeof en>;
