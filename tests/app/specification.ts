/** The product specification's list of what the screens let a user do, sentence by sentence. */
export const screens = `
- Dashboard: shows metrics for rewards, watch time, followers, subscriptions and channel-points rewards.
- Items (tabs: transfers and inventory): see items with amounts and move items from the game inventory to the product.
- Transfers (/transfers): item transfers.
- Rules: create and delete rules, add or remove rewards on a rule.
- Reward progress: see progress per rule, and claim ready rewards.
- Reward history (/rewardHistory): claimed rewards.
- Browse channels (/browseChannels): filter channels, see each channel's online or offline state, game, rewards left and claim timeout.
- Billing: subscribe, open the provider's billing portal, cancel the subscription.
- Profile: email, password, trade link, streaming connection, game-trading connection.
- Contact us and FAQ: contact form and answers.
`;

/** The specification's menu, top bar, footer and shell. */
export const shell = `
- Menu: General, Dashboard; Viewer (Browser, Reward Progress, Reward History); Streamer (Items, Rules, Item Transfers, Billing); Contact Us; FAQ.
- Top bar: Profile, Settings, Logout.
- Footer: About, FAQ, Contact Us, Terms of Service, Privacy Policy, Cookie Policy.
- The app shell shows popup notifications, the routed view and the cookie banner.
`;

/** The specification's validation rules. */
export const validation = `
- Captcha must be valid (otherwise the invalid-captcha message).
- Sign-in: e-mail and password are checked (message asks to check them).
- Sign-up: the terms of service must be accepted.
- Reset password and forgot password: the forms tell the user to check the credentials or the e-mail.
- Confirmation is required before: creating a rule, deleting a rule, transferring items, withdrawing rewards, returning items, cancelling a subscription, signing out.
- Adding or removing rewards asks for a quantity.
- Field-level bounds and formats: not shown.
`;

/** The sentences of a list. */
export function claimsIn(list: string): string[] {
  return list
    .trim()
    .split('\n')
    .map((line) => line.replace(/^- /, ''));
}
