import { config } from '#app/config.server.ts';
import { products } from '#db/schema/billing.ts';
import { listLiveSubscriptions } from '#domain/subscription/find-subscription.ts';
import { getUsage } from '#domain/subscription/get-usage.ts';
import { endpoint } from '../endpoint.ts';
import { freeResources, planResources, subscriptionResource } from '../present-billing.server.ts';
import { plans, subscriptions } from '../resources.ts';
import { base } from './fields.ts';

export const billingEndpoints = [
  endpoint({
    method: 'GET',
    path: `${base}/plans`,
    name: 'listPlans',
    about:
      'The plans that this instance sells, with their prices and limits. On a free instance everybody has one of each product, for nothing.',
    access: 'anyone',
    answers: { data: 'many', of: [plans] },
    async handle() {
      const { billing } = config();
      return { data: billing ? planResources(billing.currency) : freeResources('usd') };
    },
  }),
  endpoint({
    method: 'GET',
    path: `${base}/subscriptions`,
    name: 'listSubscriptions',
    about: 'Your plan of each product, until when, and what you have used of its limits.',
    access: 'verified',
    answers: { data: 'many', of: [subscriptions] },
    async handle({ db, nowMs, account }) {
      const [live, usage] = await Promise.all([
        listLiveSubscriptions(db.read, account.id),
        getUsage(db, account.id, nowMs),
      ]);
      const facts = { live, usage, currency: config().billing?.currency ?? null };
      return { data: products.map((each) => subscriptionResource(account.id, each, facts)) };
    },
  }),
];
