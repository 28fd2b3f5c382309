import { useCopy } from '#app/components/feedback/use-copy.ts';
import { Button, type ButtonKind } from '#app/components/forms/button.tsx';
import { Check, Copy } from '#app/components/icons/signs.ts';
import { useTranslation } from '#app/components/text/translation.tsx';

/** Copies a text. Without JavaScript it is not there, and the text beside it can be selected. */
export function CopyButton({ text, label, kind }: { text: string; label: string; kind: ButtonKind }) {
  const { t } = useTranslation();
  const { able, copied, copy } = useCopy(text);
  return (
    <>
      <Button type="button" kind={kind} icon={copied ? Check : Copy} hidden={!able} onClick={copy}>
        {copied ? t('common.copied') : label}
      </Button>
      <span className="vh" role="status">
        {copied && t('common.copied')}
      </span>
    </>
  );
}
