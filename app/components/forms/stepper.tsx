import { useRef } from 'react';
import { Icon } from '#app/components/icons/icon.tsx';
import { Minus, Plus } from '#app/components/icons/signs.ts';
import { useTranslation } from '#app/components/text/translation.tsx';

type Props = {
  /** The name of the number field. */
  name: string;
  /** The value that the two buttons send as `less` or `more` without JavaScript. */
  value: string;
  /** The thing that is counted, for screen readers. */
  label: string;
  amount: number;
  min?: number;
  max: number;
  form?: string;
  onChange?: (amount: number) => void;
};

/**
 * A bounded quantity with minus and plus buttons. Without JavaScript they submit the form as `less` or `more`. Such a
 * form starts with `<DefaultSubmit />`, so that Enter submits the form itself.
 */
export function Stepper({ name, value, label, amount, min = 1, max, form, onChange }: Props) {
  const { t } = useTranslation();
  const input = useRef<HTMLInputElement>(null);
  const step = (by: number) => (event: { preventDefault: () => void }) => {
    event.preventDefault();
    if (!input.current) return;
    const next = Math.min(max, Math.max(min, (input.current.valueAsNumber || min) + by));
    input.current.value = String(next);
    onChange?.(next);
  };
  return (
    <span className="stepper">
      <button
        type="submit"
        form={form}
        name="less"
        value={value}
        formNoValidate
        aria-label={t('common.lessOf', { name: label })}
        onClick={step(-1)}
      >
        <Icon of={Minus} size="small" />
      </button>
      <input
        ref={input}
        key={amount}
        type="number"
        inputMode="numeric"
        name={name}
        form={form}
        defaultValue={amount}
        min={min}
        max={max}
        required
        aria-label={t('common.quantityOf', { name: label })}
        onChange={(event) => {
          if (Number.isInteger(event.target.valueAsNumber)) onChange?.(event.target.valueAsNumber);
        }}
      />
      <button
        type="submit"
        form={form}
        name="more"
        value={value}
        formNoValidate
        aria-label={t('common.moreOf', { name: label })}
        onClick={step(1)}
      >
        <Icon of={Plus} size="small" />
      </button>
    </span>
  );
}

/** Makes Enter submit the form itself: browsers use its first submit button. */
export function DefaultSubmit() {
  return (
    <button className="vh" type="submit" tabIndex={-1} aria-hidden="true">
      ↵
    </button>
  );
}
