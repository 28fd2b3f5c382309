import type { TransferConcern } from '#domain/outbox/queue-mail.ts';
import { type MailTexts, moment } from '../letter.ts';

/** The letters to the operator. */
export const toOperator = {
  contactMessage: ({ name, email, message, confirmed }) => ({
    subject: `Message from ${name}`,
    paragraphs: [`${name} <${email}> wrote through the contact form:`],
    quote: message,
    footnote: `Replies to this email go to the sender. ${confirmed === 'yes' ? 'They confirmed their address.' : 'Their address has not been verified.'}`,
    replyTo: email,
  }),
  custodyDrift: ({ items }) => ({
    subject: 'Items differ from the ledger',
    paragraphs: [
      `The daily audit found ${items === '1' ? 'one item whose recorded holder differs' : `${items} items whose recorded holders differ`} from the ledger. Until you resolve this, Keepsake neither promises nor sends ${items === '1' ? 'it' : 'them'}.`,
      'Run “npm run keepsake -- custody” on the server: it lists them and says what can be done.',
    ],
    footnote: 'You receive this email because this address is set as OPERATOR_EMAIL.',
  }),
  inventoryDiffers: ({ bot, concern, amount }) => ({
    subject:
      concern === 'missing'
        ? 'Items are missing from a bot’s inventory'
        : 'Unknown items in a bot’s inventory',
    paragraphs: [
      inventoryTexts[concern][amount === '1' ? 'one' : 'many'](bot, amount),
      'Run “npm run keepsake -- custody” on the server: it lists them and says what can be done.',
      'If more are found, you get the next mail about them tomorrow at the earliest.',
    ],
    footnote: 'You receive this email because this address is set as OPERATOR_EMAIL.',
  }),
  offersRefused: ({ bot, said, times, minutes }) => ({
    subject: 'Steam refuses a bot’s trade offers',
    paragraphs: [
      times === '1'
        ? `Steam refused a trade offer of the bot ${bot}:`
        : `Steam has refused ${times} trade offers of the bot ${bot} in a row, the last with these words:`,
    ],
    quote: said,
    footnote: `${minutes === '0' ? 'The offer is sent again after a pause' : `The bot sends nothing for ${minutes} minutes and then tries again`}; each pause is longer than the last. Nothing is lost, and the viewers’ time to claim is extended by the wait. You receive this email because this address is set as OPERATOR_EMAIL.`,
  }),
  transfersUnclear: ({ bot, trouble, amount, ids }) => ({
    subject: 'Transfers need you',
    paragraphs: [
      `${amount === '1' ? 'A transfer' : `${amount} transfers`} of the bot ${bot} could not be resolved from Steam’s answers: ${transferTroubles[trouble]}.`,
      'Run “npm run keepsake -- custody” on the server: it lists them and says what can be done. Until then, their items are promised and sent to nobody else.',
    ],
    facts: [['Transfers', ids]],
    footnote:
      'If it goes on, you get the next mail about it tomorrow. You receive this email because this address is set as OPERATOR_EMAIL.',
  }),
  paymentReversed: ({ why, customer, subscription }) => ({
    subject: {
      dispute: 'A payment was disputed',
      refund: 'A payment was refunded',
      inquiry: 'A bank asks about a payment',
    }[why],
    paragraphs: [
      {
        dispute: `The customer ${customer} disputed a payment for the subscription ${subscription}. The subscription is cancelled. What other payments cover stays until it ends.`,
        refund: `A payment of the customer ${customer} for the subscription ${subscription} was refunded in full. The subscription is cancelled. What other payments cover stays until it ends.`,
        inquiry: `The bank of the customer ${customer} asks about the payment ${subscription}. No money was taken, and the plan stays.`,
      }[why],
      ...(why === 'refund' ? [] : ['Answer by the date shown in the Stripe dashboard.']),
    ],
    footnote: 'You receive this email because this address is set as OPERATOR_EMAIL.',
  }),
  customerFailed: ({ customer }) => ({
    subject: 'A customer’s subscriptions could not be read',
    paragraphs: [
      `Keepsake could not work on the customer ${customer} at Stripe. What is stored stays as it is, and it is tried again with growing pauses, up to a day. Other customers are not affected.`,
      'The reason is in the log of the bot process. Look at the customer in the Stripe dashboard.',
    ],
    footnote: 'You receive this email because this address is set as OPERATOR_EMAIL.',
  }),
  stripeRefused: ({ what, why }) => ({
    subject: 'Stripe refused a request',
    paragraphs: [
      `Keepsake asked Stripe to ${what}, and Stripe refused: “${why}”`,
      'Run “npm run keepsake -- doctor” on the server: it compares the keys and the account with what the plans need. The request is in Stripe’s log as well, in the Workbench of its dashboard.',
      'If it is refused again, you get the next mail about it tomorrow.',
    ],
    footnote: 'You receive this email because this address is set as OPERATOR_EMAIL.',
  }),
  billingActStuck: ({ kind, subject, why, untilMs }) => {
    const act = {
      refund: `pay the payment ${subject} back`,
      cancel: `cancel the subscription ${subject}`,
      release: `release the schedule ${subject}`,
      void: `void the invoice ${subject}`,
      expire: `close the checkout page ${subject}`,
    }[kind];
    return {
      subject: 'Stripe has not done something for a day',
      paragraphs: [
        `For a day Keepsake has been asking Stripe to ${act}, without success.${why === '' ? '' : ` The last answer was: “${why}”`}`,
        `It goes on asking until ${moment(untilMs, 'en', undefined)}. You can also do it yourself in the Stripe dashboard: Keepsake notices that it is done.`,
      ],
      footnote: 'You receive this email because this address is set as OPERATOR_EMAIL.',
    };
  },
  subscriptionUnreadable: ({ why, subscription }) => ({
    subject: 'A subscription could not be read',
    paragraphs: [
      why === 'unknownStatus'
        ? `Stripe reports a status of the subscription ${subscription} that this version of Keepsake does not know.`
        : `The price of the subscription ${subscription} does not belong to any plan.`,
      'Until you resolve this, the plan stays as it was, and the customer cannot buy another one. Open the subscription in the Stripe dashboard and set the price of a plan or cancel it, or update Keepsake.',
    ],
    footnote: 'You receive this email because this address is set as OPERATOR_EMAIL.',
  }),
  subscriptionHasMore: ({ subscription }) => ({
    subject: 'A subscription charges for something else besides',
    paragraphs: [
      `The subscription ${subscription} contains a plan and something else. Keepsake goes by the plan and ignores the rest: the billing page shows it in the next charge alone.`,
      'If you added it in the Stripe dashboard, there is nothing to do.',
    ],
    footnote: 'You receive this email because this address is set as OPERATOR_EMAIL.',
  }),
} satisfies Partial<MailTexts>;

const transferTroubles: Record<TransferConcern, string> = {
  sendingUnknown: 'whether the offer was sent is not known',
  unconfirmed: 'the offer waits for the mobile confirmation',
  offerUnknown: 'Steam does not show the offer any more',
  acceptedUnclear: 'Steam says that the offer was accepted, but not what was exchanged',
  reversalUnclear: 'Steam reversed the trade, and where its items are is not known',
  overdue: 'the offer should have ended',
  escrowed: 'Steam holds the trade for longer than it ever does',
  tradeUnknown: 'Steam holds the trade without naming it',
  unsettled: 'the trade should be final, and Steam has not said so',
};

const inventoryTexts = {
  missing: {
    one: (bot: string) =>
      `An item that the bot ${bot} should hold is not in its Steam inventory. Until it is found, it is promised to nobody, and an existing promise of it does not run out.`,
    many: (bot: string, amount: string) =>
      `${amount} items that the bot ${bot} should hold are not in its Steam inventory. Until they are found, they are promised to nobody, and existing promises of them do not run out.`,
  },
  unknown: {
    one: (bot: string) =>
      `A tradable item has been in the Steam inventory of the bot ${bot} for more than an hour, and Keepsake does not know whose it is.`,
    many: (bot: string, amount: string) =>
      `${amount} tradable items have been in the Steam inventory of the bot ${bot} for more than an hour, and Keepsake does not know whose they are.`,
  },
} as const;
