import { type DemoCard, demoCards, findCard } from './cards.ts';
import { escapeHtml } from './page-layout.ts';

const spaced = (number: string) => number.replaceAll(/(\d{4})(?=\d)/g, '$1 ');

/** The choice of a demo card, or any of its numbers typed. */
export function cardChoice(legend = 'Pay with a demo card'): string {
  const choices = demoCards.map(
    (card, index) =>
      `<label><input type="radio" name="card" value="${card.number}"${index === 0 ? ' checked' : ''}> <code>${spaced(card.number)}</code> <small>${escapeHtml(card.does)}</small></label>`,
  );
  return `<fieldset><legend>${escapeHtml(legend)}</legend>${choices.join('')}
<label>Another number <input type="text" name="number" inputmode="numeric" autocomplete="off"></label></fieldset>`;
}

export function chosenCard(form: URLSearchParams): DemoCard | null {
  return findCard(form.get('number') || (form.get('card') ?? ''));
}

/** What stands in for the bank's page of a 3-D Secure challenge. */
export function challengeForm(action: string): string {
  return `<p>The bank wants to know whether it is you.</p><form method="post" action="${escapeHtml(action)}">
<button class="primary" name="answer" value="confirm">Complete authentication</button>
<button name="answer" value="fail">Fail authentication</button></form>`;
}
