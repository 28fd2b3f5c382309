/** Stripe lacks what the plans need: `stripe:setup` has not run. */
export class SetUpMissing extends Error {}
