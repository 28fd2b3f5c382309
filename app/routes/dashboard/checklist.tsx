import type { ReactNode } from 'react';
import { Icon } from '#app/components/icons/icon.tsx';
import { Check } from '#app/components/icons/signs.ts';
import { useTranslation } from '#app/components/text/translation.tsx';

export type ChecklistStep = {
  key: string;
  label: string;
  done: boolean;
  text?: ReactNode;
  action?: ReactNode;
};

/** Steps to readiness: open ones first, with instructions; completed ones below, in brief. */
export function Checklist({ steps }: { steps: readonly ChecklistStep[] }) {
  const { t } = useTranslation();
  const numbered = steps.map((step, place) => ({ ...step, number: place + 1 }));
  const open = numbered.filter((step) => !step.done);
  const done = numbered.filter((step) => step.done);
  const first = open[0];
  return (
    <>
      {open.length > 0 && (
        <ol className="checklist">
          {open.map(({ key, number, label, text, action }) => (
            <li key={key}>
              <span className={key === first?.key ? 'tick tick--now' : 'tick'}>{number}</span>
              <div>
                <span className="strong">{label}</span>
                {text && <p className="s13 muted">{text}</p>}
              </div>
              {action}
            </li>
          ))}
        </ol>
      )}
      {done.length > 0 && (
        <ol className={open.length > 0 ? 'checklist checklist--two' : 'checklist'}>
          {done.map(({ key, label }) => (
            <li key={key}>
              <span className="tick tick--done">
                <Icon of={Check} />
              </span>
              <div>
                <span className="checklist__done">
                  {label}
                  <span className="vh"> – {t('common.done')}</span>
                </span>
              </div>
            </li>
          ))}
        </ol>
      )}
    </>
  );
}
