import { announce } from './en/announce.ts';
import { api } from './en/api.ts';
import { apiCalls } from './en/api-calls.ts';
import { apiResources } from './en/api-resources.ts';
import { auth } from './en/auth.ts';
import { billing } from './en/billing.ts';
import { browse } from './en/browse.ts';
import { captcha } from './en/captcha.ts';
import { channel } from './en/channel.ts';
import { channelPage } from './en/channel-page.ts';
import { common } from './en/common.ts';
import { contact } from './en/contact.ts';
import { cookieConsent } from './en/cookie-consent.ts';
import { correct } from './en/correct.ts';
import { dashboard } from './en/dashboard.ts';
import { device } from './en/device.ts';
import { errors } from './en/errors.ts';
import { extension } from './en/extension.ts';
import { given } from './en/given.ts';
import { guests } from './en/guests.ts';
import { history } from './en/history.ts';
import { identity } from './en/identity.ts';
import { items } from './en/items.ts';
import { landing } from './en/landing.ts';
import { messages } from './en/messages.ts';
import { operator } from './en/operator.ts';
import { overlay } from './en/overlay.ts';
import { pause } from './en/pause.ts';
import { profile } from './en/profile.ts';
import { progress } from './en/progress.ts';
import { proof } from './en/proof.ts';
import { raffle } from './en/raffle.ts';
import { recovery } from './en/recovery.ts';
import { rewards } from './en/rewards.ts';
import { rules } from './en/rules.ts';
import { secondFactor } from './en/second-factor.ts';
import { settings } from './en/settings.ts';
import { share } from './en/share.ts';
import { shell } from './en/shell.ts';
import { transfers } from './en/transfers.ts';
import { win } from './en/win.ts';

export const en = {
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
} as const;
