import type { ReactNode } from 'react';
import { useTranslation } from '#app/components/text/translation.tsx';

/** A drawing of a step: lines in the colour of the text, and what is to be touched filled. */
function Drawing({ children }: { children: ReactNode }) {
  return (
    <svg
      viewBox="0 0 240 128"
      width="240"
      height="128"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      aria-hidden="true"
      focusable="false"
    >
      {children}
    </svg>
  );
}

const gray = { fill: 'currentColor', fillOpacity: 0.25, stroke: 'none' };

/** Safari's bottom bar, with the sign for sharing in its middle. */
const share = (
  <Drawing>
    <rect x="60" y="-20" width="120" height="140" rx="18" />
    <path d="M72 15h96M72 33h70M60 84h120" opacity="0.4" />
    <path d="M113 98v12h14V98M120 104V90M115.500 94l4.500-4.500 4.500 4.500" strokeWidth="3" />
  </Drawing>
);

const iconPlaces = [
  [52, 22],
  [154, 22],
  [52, 72],
  [103, 72],
  [154, 72],
] as const;

/** The home screen, with our sign among the others. */
const home = (
  <Drawing>
    {iconPlaces.map(([x, y]) => (
      <rect key={`${x} ${y}`} x={x} y={y} width="34" height="34" rx="9" {...gray} />
    ))}
    <rect x="103" y="22" width="34" height="34" rx="9" />
    <path
      d="M5 4h6v24H5zM13.500 16 21 4h7l-7.500 12zM20.500 16 28 28h-7l-7.500-12z"
      transform="translate(110 29) scale(.62)"
      fill="currentColor"
      stroke="none"
    />
  </Drawing>
);

/** The menu for sharing, with the entry that is wanted in Safari's own words. */
function Menu({ entry }: { entry: string }) {
  return (
    <Drawing>
      <rect x="20" y="12" width="200" height="132" rx="14" />
      <path d="M34 31h110M34 53h132M34 112h100" opacity="0.4" />
      <rect x="28" y="70" width="184" height="26" rx="5" {...gray} />
      <text x="38" y="88" fill="currentColor" stroke="none" fontSize="14">
        {entry}
      </text>
    </Drawing>
  );
}

/** The steps that bring Keepsake onto an iPhone's home screen, without which iOS shows no notices. */
export function OnIphone() {
  const { t } = useTranslation();
  const entry = t('settings.push.iphone.entry');
  const steps = [
    { drawing: share, text: t('settings.push.iphone.share') },
    { drawing: <Menu entry={entry} />, text: t('settings.push.iphone.add', { entry }) },
    { drawing: home, text: t('settings.push.iphone.open') },
  ];
  return (
    <details>
      <summary>{t('settings.push.iphone.title')}</summary>
      <ol className="stack">
        {steps.map(({ drawing, text }) => (
          <li key={text}>
            <p>{text}</p>
            {drawing}
          </li>
        ))}
      </ol>
      <p className="s13 muted">{t('settings.push.iphone.since')}</p>
    </details>
  );
}
