import { type DemoCard, demoCards, findCard } from './cards.ts';
import { type DemoDebit, demoDebits, findDebit } from './debits.ts';
import { escapeHtml } from './page-layout.ts';

const spaced = (number: string) => number.replaceAll(/(\d{4})(?=\d)/g, '$1 ');

/** The choice of a demo card, or any of its numbers typed; accounts to debit where they are offered. */
export function cardChoice(legend = 'Pay with a demo card', offered: readonly string[] = []): string {
  const choices = demoCards.map(
    (card, index) =>
      `<label><input type="radio" name="card" value="${card.number}"${index === 0 ? ' checked' : ''}> <code>${spaced(card.number)}</code> <small>${escapeHtml(card.does)}</small></label>`,
  );
  const debits = demoDebits
    .filter(({ type }) => offered.includes(type))
    .map(
      ({ number, does }) =>
        `<label><input type="radio" name="card" value="${number}"> <code>${number}</code> <small>${escapeHtml(does)}</small></label>`,
    );
  return `<fieldset><legend>${escapeHtml(legend)}</legend>${choices.join('')}${debits.join('')}
<label>Another number <input type="text" name="number" inputmode="numeric" autocomplete="off"></label></fieldset>`;
}

export function chosenCard(form: URLSearchParams): DemoCard | null {
  return findCard(form.get('number') || (form.get('card') ?? ''));
}

/** A card, or an account of a kind that is offered. */
export function chosenMethod(form: URLSearchParams, offered: readonly string[]): DemoCard | DemoDebit | null {
  const debit = findDebit(form.get('card') ?? '');
  if (debit) return offered.includes(debit.type) ? debit : null;
  return chosenCard(form);
}

/** Replaces the bank's page of a 3-D Secure challenge. */
export function challengeForm(action: string): string {
  return `<p>The bank wants to know whether it is you.</p><form method="post" action="${escapeHtml(action)}">
<button class="primary" name="answer" value="confirm">Complete authentication</button>
<button name="answer" value="fail">Fail authentication</button></form>`;
}
