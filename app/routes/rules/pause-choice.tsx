import { Choice } from '#app/components/forms/choices.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';

/** The choice of how long a rule pauses. */
export function PauseChoice() {
  const { t } = useTranslation();
  return (
    <fieldset className="stack stack-3">
      <legend className="vh">{t('pause.how')}</legend>
      {(['short', 'long'] as const).map((each) => (
        <Choice
          key={each}
          name="how"
          value={each}
          defaultChecked={each === 'short'}
          title={t(`pause.${each}`)}
        >
          {t(`pause.${each}Text`)}
        </Choice>
      ))}
    </fieldset>
  );
}
