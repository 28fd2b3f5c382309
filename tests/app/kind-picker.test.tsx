import { renderToStaticMarkup } from 'react-dom/server';
import { createRoutesStub } from 'react-router';
import { expect, test } from 'vitest';
import { noEntries, type PickerEntries } from '#app/components/rules/picker-entries.ts';
import { PageContext } from '#app/components/shell/page-context.tsx';
import { TranslationContext } from '#app/components/text/translation.tsx';
import { KindPicker, type WeightBounds } from '#app/routes/rules/kind-picker.tsx';
import { usePicker } from '#app/routes/rules/use-picker.ts';
import { translations } from '#app/services/translations.server.ts';

const cases = {
  key: '730-aaaaaaaaaaaa',
  available: 2,
  marketHashName: 'Demo case',
  name: 'Demo case',
  iconUrl: 'icon',
  typeLine: '',
  typeTag: 'CSGO_Type_WeaponCase',
  rarityTag: 'Rarity_Common',
  exterior: '',
};
const context = {
  user: null,
  theme: 'system',
  timeZone: 'UTC',
  nowMs: null,
  path: '/',
  imageUrl: '',
  appliedImageUrl: '',
  sites: { steam: 'https://steam.example/', twitch: 'https://twitch.example/' },
} as const;

function Picked({ start, weights }: { start: PickerEntries; weights: WeightBounds | null }) {
  return <KindPicker picker={usePicker([cases], start)} change="add" weights={weights} whole />;
}

/** The picker as it is first drawn: the fields of its form, and its text. */
function drawn(more: Partial<PickerEntries>, weights: WeightBounds | null = null) {
  const start = { ...noEntries, ...more };
  const Stub = createRoutesStub([{ path: '/', Component: () => <Picked start={start} weights={weights} /> }]);
  const html = renderToStaticMarkup(
    <TranslationContext value={translations('en')}>
      <PageContext value={context}>
        <Stub />
      </PageContext>
    </TranslationContext>,
  );
  const sent = [...html.matchAll(/<input[^>]*>/g)].flatMap(([input]) => {
    const of = (name: string) => input.match(new RegExp(` ${name}="([^"]*)"`))?.[1];
    return of('name') === undefined ? [] : [`${of('name')}=${of('value') ?? ''}`];
  });
  return { sent, text: html.replaceAll(/<[^>]*>/g, '') };
}

test('What was picked in the other way to pick stays in the form, and is counted', () => {
  const rifle = '730-bbbbbbbbbbbb';
  const others = [{ key: rifle, quantity: 1 }];
  const { sent, text } = drawn({ amounts: { [cases.key]: 2, [rifle]: 1 }, others });
  expect(sent).toEqual(expect.arrayContaining([`item=${rifle}`, `unseen=${rifle}`, `item:${rifle}=1`]));
  expect(text).toContain('3 items');
  expect(text).not.toContain('-1');
  expect(drawn({ amounts: { [rifle]: 1 } }).sent).not.toContain(`item=${rifle}`);
});

test('Weights stay in the form while none can be entered', () => {
  const weights = { [cases.key]: 7 };
  expect(drawn({ weights }).sent).toContain(`weight:${cases.key}=7`);
  const { sent } = drawn({ weights, amounts: { [cases.key]: 1 } }, { min: 1, max: 9 });
  expect(sent.filter((field) => field.startsWith('weight:'))).toEqual([`weight:${cases.key}=7`]);
});
