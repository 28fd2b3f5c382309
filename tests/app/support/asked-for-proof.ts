import { eq } from 'drizzle-orm';
import { database } from '#app/services/database.server.ts';
import { items } from '#db/schema/item.ts';
import { users } from '#db/schema/user.ts';
import { nextNumber, steamIdOf } from '#tests/support/fixtures.ts';

/**
 * The rule by which an act asks for a proof, at most ten minutes old, of who uses the session: always, never,
 * or in a state that is created here for the person who is to be asked.
 */
export type Asked = 'asks' | 'never' | { when: string; make: (userId: string) => Promise<void> };

const protectedAccount: Asked = {
  when: 'the account has a second factor; without one the form itself asks for the password',
  async make(userId) {
    await (await database()).transaction(async (tx) => {
      await tx.update(users).set({ secondFactorAtMs: Date.now() }).where(eq(users.id, userId));
    });
  },
};

const toAnotherSteam: Asked = {
  when: 'items go to another Steam account than they came from',
  async make(userId) {
    const depositorSteamId = steamIdOf(nextNumber());
    await (await database()).transaction(async (tx) => {
      await tx.update(items).set({ depositorSteamId }).where(eq(items.ownerId, userId));
    });
  },
};

const frozenAccount: Asked = {
  when: 'the account is frozen',
  async make(userId) {
    await (await database()).transaction(async (tx) => {
      await tx.update(users).set({ frozenAtMs: Date.now() }).where(eq(users.id, userId));
    });
  },
};

const lastRule: Asked = { when: 'it is the last rule, or the third within an hour', make: async () => {} };

/** Every action of a page, by its path. */
export const askedByPages: Record<string, Asked> = {
  '/language': 'never',
  '/theme': 'never',
  '/help': 'never',
  '/contact_us': 'never',
  '/contact_us/confirm': 'never',
  '/extension/code': 'asks',
  '/device': 'asks',
  '/oauth/device_authorization': 'never',
  '/oauth/token': 'never',
  '/email/verify': 'never',
  '/email/unverified': 'never',
  '/auth/signup': 'never',
  '/auth/signin': 'never',
  '/auth/second-step': 'never',
  '/auth/forgot-password': 'never',
  '/auth/reset-password': 'never',
  '/auth/disown': 'never',
  '/auth/signout': 'never',
  '/profile': 'asks',
  '/profile/name': 'never',
  '/profile/email': protectedAccount,
  '/profile/password': protectedAccount,
  '/profile/confirm': 'never',
  '/profile/second-factor/begin': 'asks',
  '/profile/second-factor/app': 'asks',
  '/profile/second-factor/off': 'never',
  '/profile/second-factor/recovery-codes': 'asks',
  '/profile/second-factor/passkeys/new': 'asks',
  '/profile/second-factor/passkeys/:id/remove': 'never',
  '/settings/notifications': 'never',
  '/settings/push': 'never',
  '/settings/public-name': 'never',
  '/settings/send-delay': 'never',
  '/settings/sessions/end': 'never',
  '/settings/sessions/:id/end': 'never',
  '/settings/freeze': frozenAccount,
  '/settings/tokens': 'asks',
  '/settings/tokens/:id/revoke': 'never',
  '/settings/delete': protectedAccount,
  '/steam/unlink': 'asks',
  '/twitch/unlink': 'asks',
  '/items/deposit': 'never',
  '/items/return': toAnotherSteam,
  '/raffles': 'never',
  '/rules/new': 'never',
  '/rules/:id/announce': 'never',
  '/rules/:id/rewards/add': 'never',
  '/rules/:id/rewards/remove': 'never',
  '/rules/:id/weights': 'never',
  '/rules/:id/correct': 'never',
  '/rules/:id/pause': 'never',
  '/rules/:id/resume': 'never',
  '/rules/:id/delete': lastRule,
  '/rules/who-got-what/:id/stop': 'never',
  '/billing/checkout': 'never',
  '/billing/portal': 'never',
  '/billing/change': 'never',
  '/billing/cancel': 'never',
  '/billing/resume': 'never',
  '/channel': 'never',
  '/channel/chat': 'never',
  '/channel/commands': 'never',
  '/channel/visibility': 'never',
  '/channel/overlay': 'never',
  '/channel/overlay/replace': 'never',
  '/channel/overlay/resume': 'never',
  '/channel/guests': 'never',
  '/channel/guests/:id/dismiss': 'never',
  '/operator/stop': 'asks',
  '/operator/resume': 'asks',
  '/rewards/:id/claim': 'never',
  '/wins/:id/seen': 'never',
  '/transfers/:id/cancel': 'never',
};

/** Every call of the API that changes something, by its name. A token proves nothing about who uses it. */
export const askedByCalls: Record<string, Asked> = {
  signIn: 'never',
  prepareRaffle: 'never',
  startRaffle: 'never',
  drawRaffle: 'never',
  cancelRaffle: 'never',
  signOut: 'never',
  startTwitchSignIn: 'never',
  redeemExtensionCode: 'never',
  register: 'never',
  verifyEmail: 'never',
  requestPasswordReset: 'never',
  resetPassword: 'never',
  confirmIdentity: 'never',
  unlinkTwitch: 'asks',
  unlinkSteam: 'asks',
  setTradeLink: 'asks',
  // A longer delay; for a shorter one see the tests of settings and of the API's account.
  setSendDelay: 'never',
  resendVerification: 'never',
  updateUser: protectedAccount,
  sendMessage: 'never',
  createRule: 'never',
  tryRule: 'never',
  closeRule: lastRule,
  pauseRule: 'never',
  resumeRule: 'never',
  previewCorrection: 'never',
  correctRule: 'never',
  addRewards: 'never',
  removeRewards: 'never',
  setWeights: 'never',
  depositItems: 'never',
  returnItems: toAnotherSteam,
  cancelTransfer: 'never',
  claimReward: 'never',
  stopClaim: 'never',
  startCheckout: 'never',
  openBillingPortal: 'never',
  previewPlanChange: 'never',
  changePlan: 'never',
  cancelSubscription: 'never',
  resumeSubscription: 'never',
  admitGuest: 'never',
  dismissGuest: 'never',
};
