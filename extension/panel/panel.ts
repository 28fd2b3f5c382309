import type { Silence } from '../answers.ts';
import { browser } from '../browser.ts';
import { askReady, instanceOf, type ReadyReward, signIn, signOut } from '../instance.ts';
import { type Place, permissionsFor, places } from '../places.ts';
import { type SignIn, savedInstance, savedSignIn, wantedPlaces, wantPlace } from '../saved.ts';
import * as en from '../texts/en.ts';
import * as ru from '../texts/ru.ts';
import { dateText, language } from '../texts/texts.ts';

const shown = language();
const words = { en: en.panel, ru: ru.panel }[shown];
const doubts = { en: en.silences, ru: ru.silences }[shown];

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

function button(text: string, press: () => void, isMain = false): HTMLElement {
  const found = make('button', isMain ? 'main' : '', text);
  found.addEventListener('click', press);
  return found;
}

function field(label: string, name: string, value: string): { box: HTMLElement; input: HTMLInputElement } {
  const input = document.createElement('input');
  Object.assign(input, { name, value, required: true, autocomplete: 'off', spellcheck: false });
  return { box: make('label', '', label, input), input };
}

const say = (text: string): HTMLElement => {
  const line = make('p', 'bad', text);
  line.role = 'alert';
  return line;
};

const device = (): string =>
  navigator.userAgent.includes('Firefox') ? 'Extension in Firefox' : 'Extension in Chromium';

/** The form that exchanges a code for a token. */
async function signInForm(said: string): Promise<HTMLElement> {
  const instance = field(words.instance, 'instance', await savedInstance());
  const code = field(words.code, 'code', '');
  const getCode = make('p', 'quiet', words.codeHint);
  const offerPage = () => {
    const site = instanceOf(instance.input.value);
    getCode.replaceChildren(site ? link(words.getCode, `${site}/extension/code`) : words.codeHint);
  };
  instance.input.addEventListener('input', offerPage);
  offerPage();
  const submit = make('button', 'main', words.signIn);
  const form = make('form', '', instance.box, getCode, code.box, submit);
  if (said) form.append(say(said));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const site = instanceOf(instance.input.value);
    if (site === null) return void draw(words.badInstance);
    void signIn(site, code.input.value.trim(), device()).then((outcome) =>
      draw(outcome.ok ? '' : outcome.detail || doubt(outcome.why)),
    );
  });
  return form;
}

const doubt = (why: Silence | null): string => (why === null ? words.failed : doubts[why]);

function readyList(ready: ReadyReward[], { instance }: SignIn): HTMLElement {
  const rows = ready.map(({ itemName, ruleName, claimUntil }) =>
    make(
      'li',
      '',
      make('b', '', itemName),
      make('p', 'quiet', `${ruleName} · ${words.until(dateText(claimUntil, shown))}`),
    ),
  );
  const none = make('p', 'quiet', words.nothingReady);
  const list = rows.length > 0 ? make('ul', '', ...rows) : none;
  return make(
    'section',
    '',
    make('h2', '', words.ready),
    list,
    link(words.claim, `${instance}/rewardProgress`),
  );
}

/** Turns a place on by the press itself: browsers ask for a permission only while they handle one. */
function turn(place: Place, isOn: boolean): void {
  const { permissions } = browser();
  const asked = permissionsFor(place);
  const granted = isOn
    ? permissions.request(asked)
    : permissions.remove({ origins: asked.origins ?? [] }).then(() => false);
  void granted
    .then((isGranted) => wantPlace(place, isGranted))
    .then(() => browser().runtime.sendMessage({ ask: 'refresh' }))
    .then(() => draw(''));
}

async function placeRow(place: Place): Promise<HTMLElement> {
  const isAllowed = await browser().permissions.contains(permissionsFor(place));
  const isWanted = (await wantedPlaces()).includes(place);
  const isOn = isAllowed && isWanted;
  const name = make('span', '', `${words.places[place]}: `, make('b', '', isOn ? words.on : words.off));
  const press = button(isOn ? words.turnOff : words.turnOn, () => turn(place, !isOn), !isOn);
  press.ariaLabel = `${isOn ? words.turnOff : words.turnOn}: ${words.places[place]}`;
  const row = make('li', '', make('div', 'line', name, press));
  if (isWanted && !isAllowed) row.append(say(words.lost));
  return row;
}

async function signedIn(signed: SignIn, said: string): Promise<HTMLElement[]> {
  const ready = await askReady();
  const rows = await Promise.all(places.map(placeRow));
  const leave = () =>
    void signOut().then(async (isRevoked) => {
      await browser().runtime.sendMessage({ ask: 'refresh' });
      await draw(isRevoked ? '' : words.notRevoked);
    });
  const who = make(
    'section',
    '',
    make('p', '', words.signedIn(signed.name, new URL(signed.instance).host)),
    button(words.signOut, leave),
  );
  return [
    ...(said ? [say(said)] : []),
    ready.ok ? readyList(ready.value, signed) : make('section', '', say(doubts[ready.why])),
    make('section', '', make('ul', '', ...rows), make('p', 'quiet', words.private)),
    make('section', '', make('p', 'quiet', words.limits)),
    who,
  ];
}

/** Draws the panel anew, with what the last press led to. */
async function draw(said: string): Promise<void> {
  const signed = await savedSignIn();
  const parts = signed ? await signedIn(signed, said) : [await signInForm(said)];
  document.documentElement.lang = shown;
  document.querySelector('main')?.replaceChildren(make('h1', '', words.title), ...parts);
}

void draw('');
