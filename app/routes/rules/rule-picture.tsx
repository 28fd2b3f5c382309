import { Callout } from '#app/components/feedback/callout.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';

/** The picture that other sites show beside the link. */
export function RulePicture({ ruleId, path }: { ruleId: string; path: string | null }) {
  const { t, language } = useTranslation();
  if (path === null)
    return (
      <Callout type="info">
        <p>{t('announce.hidden')}</p>
      </Callout>
    );
  const picture = `/share/${language}${path}.png`;
  return (
    <div className="stack stack-3">
      <img
        className="announce__picture"
        src={picture}
        width="1200"
        height="630"
        alt={t('announce.picture')}
      />
      <div className="announce__caption">
        <p className="s13 muted">{t('announce.pictureText')}</p>
        <a className="btn btn--secondary btn--small" href={picture} download={`keepsake-${ruleId}.png`}>
          {t('announce.save')}
        </a>
      </div>
    </div>
  );
}
