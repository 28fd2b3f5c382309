import type { Answered, Silence } from '../answers.ts';
import { browser } from '../browser.ts';
import { askReady, instanceOf, type ReadyReward, signIn, signOut } from '../instance.ts';
import { type Place, permissionsFor, places } from '../places.ts';
import { type SignIn, savedSignIn, savedTyped, saveTyped, wantedPlaces, wantPlace } from '../saved.ts';
import type * as en from '../texts/en.ts';
import { dateText, language } from '../texts/texts.ts';

const shown = language();

/** The panel's words, which the browser has in the one language that it shows. */
const word = (key: keyof typeof en.panel | Silence, ...put: string[]): string =>
  browser().i18n.getMessage(key, put);

function make(tag: string, className: string, ...content: (Node | string)[]): HTMLElement {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...content);
  return element;
}

function link(text: string, href: string): HTMLElement {
  const found = document.createElement('a');
  found.textContent = text;
  found.href = href;
  found.target = '_blank';
  found.rel = 'noopener';
  return found;
}

/** A button; its id finds it again after the panel was drawn anew. */
function button(id: string, text: string, press: () => void, isMain = false): HTMLElement {
  const found = make('button', isMain ? 'main' : '', text);
  found.id = id;
  found.addEventListener('click', press);
  return found;
}

function field(label: string, name: string, value: string): { box: HTMLElement; input: HTMLInputElement } {
  const input = document.createElement('input');
  Object.assign(input, { name, value, required: true, autocomplete: 'off', spellcheck: false });
  return { box: make('label', '', label, input), input };
}

/** The one place where the panel says what a press led to; it stays while the rest is drawn anew. */
const said = make('p', 'bad');
said.role = 'status';
const drawn = make('div', 'parts');
drawn.tabIndex = -1;

function say(text: string): void {
  said.textContent = text;
}

const device = (): string =>
  navigator.userAgent.includes('Firefox') ? 'Extension in Firefox' : 'Extension in Chromium';

/** The form that exchanges a code for a token. */
async function signInForm(): Promise<HTMLElement> {
  const instance = field(word('instance'), 'instance', await savedTyped());
  const code = field(word('code'), 'code', '');
  const getCode = make('p', 'quiet');
  const offerPage = () => {
    const site = instanceOf(instance.input.value);
    getCode.replaceChildren(site ? link(word('getCode'), `${site}/extension/code`) : word('codeHint'));
  };
  instance.input.addEventListener('input', () => {
    offerPage();
    // A visit to the site for a code closes the panel.
    void saveTyped(instance.input.value);
  });
  offerPage();
  const form = make('form', '', instance.box, getCode, code.box, make('button', 'main', word('signIn')));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const site = instanceOf(instance.input.value);
    if (site === null) return say(word('badInstance'));
    say(word('wait'));
    void signIn(site, code.input.value.trim(), device()).then((outcome) => {
      if (!outcome.ok) return say(outcome.detail || word(outcome.why ?? 'failed'));
      say('');
      return refresh().then(draw);
    });
  });
  return form;
}

const refresh = (): Promise<unknown> => browser().runtime.sendMessage({ ask: 'refresh' });

function readyList(ready: ReadyReward[], { instance }: SignIn): Node[] {
  const rows = ready.map(({ itemName, ruleName, claimUntil }) =>
    make(
      'li',
      '',
      make('b', '', itemName),
      make('p', 'quiet', `${ruleName} · ${word('until', dateText(claimUntil, shown))}`),
    ),
  );
  const none = make('p', 'quiet', word('nothingReady'));
  return [
    make('h2', '', word('ready')),
    rows.length > 0 ? make('ul', '', ...rows) : none,
    link(word('claim'), `${instance}/rewardProgress`),
  ];
}

/**
 * Turns a place on by the press itself: browsers ask for a permission only while they handle one. Their question closes the
 * panel of some, or lies under it, so that it closes itself; the background then ends what was begun.
 */
function turn(place: Place, isOn: boolean): void {
  const { permissions } = browser();
  const asked = permissionsFor(place);
  const granted = isOn
    ? permissions.request(asked)
    : permissions.remove({ origins: asked.origins ?? [] }).then(() => false);
  if (isOn && location.hash) close();
  void granted
    .then((isGranted) => wantPlace(place, isGranted))
    .then(refresh)
    .then(draw);
}

async function placeRow(place: Place): Promise<HTMLElement> {
  const isAllowed = await browser().permissions.contains(permissionsFor(place));
  const isWanted = (await wantedPlaces()).includes(place);
  const isOn = isAllowed && isWanted;
  const name = make('span', '', `${word(place)}: `, make('b', '', word(isOn ? 'on' : 'off')));
  const action = word(isOn ? 'turnOff' : 'turnOn');
  const press = button(place, action, () => turn(place, !isOn), !isOn);
  press.ariaLabel = `${action}: ${word(place)}`;
  const row = make('li', '', make('div', 'line', name, press));
  if (isOn) row.append(make('p', 'quiet', word('reloadPages')));
  else if (isWanted) row.append(make('p', 'bad', word('lost')));
  return row;
}

function account({ name, instance }: SignIn): HTMLElement {
  const { host } = new URL(instance);
  const leave = () =>
    void signOut().then(async (isRevoked) => {
      say(isRevoked ? '' : word('notRevoked'));
      await refresh();
      await draw();
    });
  const who = name ? word('signedInAs', host, name) : word('signedIn', host);
  return make('section', '', make('p', '', who), button('leave', word('signOut'), leave));
}

/** The part that shows what the site answers; nothing is drawn over when another drawing has begun. */
async function fillReady(section: HTMLElement, signed: SignIn): Promise<void> {
  const ready: Answered<ReadyReward[]> = await askReady();
  if (!section.isConnected) return;
  if (ready.ok) return section.replaceChildren(...readyList(ready.value, signed));
  section.replaceChildren(make('p', 'bad', word(ready.why)));
  if (ready.why === 'revoked') section.after(await signInForm());
}

/** Draws the panel anew at once, and what the site answers when it has. */
async function draw(): Promise<void> {
  const signed = await savedSignIn();
  const ready = make('section', '', make('p', 'quiet', word('wait')));
  const rows = await Promise.all(places.map(placeRow));
  const parts = signed
    ? [
        ready,
        make('section', '', make('ul', '', ...rows), make('p', 'quiet', word('private'))),
        make('section', '', make('p', 'quiet', word('limits'))),
        account(signed),
      ]
    : [await signInForm()];
  const focused = document.activeElement;
  const hadFocus = drawn.contains(focused);
  drawn.replaceChildren(...parts);
  if (hadFocus) (document.getElementById(focused?.id || 'none') ?? drawn).focus();
  if (signed) await fillReady(ready, signed);
}

document.documentElement.lang = shown;
document.querySelector('main')?.append(make('h1', '', word('title')), said, drawn);
void draw();
