import { z } from 'zod';
import type { RequestFault } from '#sandbox/request-faults.ts';
import { webhookFaults } from '#sandbox/stripe/faults.ts';
import { flag, optionalText, wholeNumber } from './fields.ts';
import { type Html, html } from './html.ts';
import { count } from './layout.ts';
import type { Panel, PanelWorlds } from './panel.ts';

const page = '/trouble';

const webhookWords: Record<(typeof webhookFaults)[number], string> = {
  duplicate: 'webhooks that come twice',
  late: 'webhooks that come late',
  lost: 'webhooks that never come',
};

const where = (fault: RequestFault) => `${fault.method || 'any'} ${fault.path ?? '/'}`;

/** Stripe's trouble that has not struck yet, as rows of a list. */
export function pendingStripe({ stripe }: PanelWorlds): Html[] {
  const { requests, webhooks, isHolding } = stripe.faults.pending();
  const rows = requests.map((fault) => {
    const what = fault.answer === 'drop' ? 'socket dropped' : `answers ${fault.answer}`;
    return html`<li><span class="what">Stripe, ${where(fault)}: ${what}${fault.afterEffect && ' after its effect'}</span><small>${count(fault.times ?? 1, 'time')}</small></li>`;
  });
  const coming = webhookFaults
    .filter((fault) => webhooks[fault] > 0)
    .map(
      (fault) =>
        html`<li><span class="what">Stripe, ${webhookWords[fault]}</span><small>${count(webhooks[fault], 'time')}</small></li>`,
    );
  const held = html`<li><span class="what">Stripe, all webhooks are held</span><small>${count(stripe.state.deliveries.length, 'webhook')}</small></li>`;
  return [...rows, ...coming, ...(isHolding ? [held] : [])];
}

export function stripeTroubleSections(times: Html): Html {
  const paths = [
    ['/v1/', 'the API, all of it'],
    ['/v1/customers', 'customers'],
    ['/v1/checkout/sessions', 'checkout'],
    ['/v1/subscriptions', 'subscriptions'],
    ['/v1/invoices', 'invoices'],
    ['/v1/refunds', 'refunds'],
    ['/v1/billing_portal', 'portal'],
    ['/v1/prices', 'prices'],
    ['/c/pay', 'the payment page'],
  ].map(([path, name]) => html`<option value="${path}">${name}</option>`);
  const answers = ['500', '503', '429', '409', '401', '400'].map(
    (status) => html`<option value="${status}">answers ${status}</option>`,
  );
  return html`<section><h2>Stripe: next requests</h2><form method="post" action="/trouble/stripe/requests">
<label>Request <select name="path">${paths}</select></label>
<label>Answer <select name="answer">${answers}<option value="drop">drops the socket</option></select></label>${times}
<label class="check"><input type="checkbox" name="afterEffect" value="true"> after its effect</label><button>Set</button></form></section>
<section><h2>Stripe: webhooks</h2>
<form method="post" action="/trouble/stripe/webhooks"><button name="act" value="duplicate">Send the next webhook twice</button><button name="act" value="late">Send the next webhook late</button><button name="act" value="lost">Lose the next webhook</button></form>
<form method="post" action="/trouble/stripe/hold"><button name="act" value="hold">Hold all webhooks</button><button name="act" value="release">Release them</button><button name="act" value="reverse">Release them in reverse</button></form></section>`;
}

export function addStripeTrouble(panel: Panel): void {
  const { stripe } = panel.worlds;
  panel.verb(
    '/trouble/stripe/requests',
    'Spoils coming HTTP requests to Stripe whose path begins with `path` (/v1/…): `answer` is a status or drop; `afterEffect` lets the request do its work first.',
    z.object({
      answer: z.union([z.literal('drop'), wholeNumber(400, 599)], 'must be drop or a status from 400 to 599'),
      path: optionalText(200),
      method: z.enum(['', 'GET', 'POST', 'DELETE']).default(''),
      afterEffect: flag,
      times: wholeNumber(1, 1000).default(1),
    }),
    (_params, { answer, path, method, afterEffect, times }) => {
      stripe.faults.failNext({
        answer,
        afterEffect,
        times,
        ...(path && { path }),
        ...(method && { method }),
      });
      return { said: `The next ${count(times, 'request')} will fail.`, page };
    },
  );
  panel.verb(
    '/trouble/stripe/webhooks',
    `Spoils the next \`count\` webhooks: \`act\` is ${webhookFaults.join(', ')}.`,
    z.object({ act: z.enum(webhookFaults), count: wholeNumber(1, 1000).default(1) }),
    (_params, fields) => {
      stripe.faults.spoilNextWebhooks(fields.act, fields.count);
      return { said: `Trouble waits for ${count(fields.count, 'webhook')}.`, page };
    },
  );
  panel.verb(
    '/trouble/stripe/hold',
    'Holds all webhooks (`act` hold), and releases them: release in order, reverse the newest first.',
    z.object({ act: z.enum(['hold', 'release', 'reverse']) }),
    (_params, { act }) => {
      if (act === 'hold') stripe.faults.holdWebhooks();
      else stripe.faults.releaseWebhooks(act === 'reverse');
      return { said: act === 'hold' ? 'Webhooks are held.' : 'Webhooks are on their way.', page };
    },
  );
}
