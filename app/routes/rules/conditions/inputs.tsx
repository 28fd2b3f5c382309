import { controlProps, type FieldFacts } from '#app/components/forms/field.tsx';

export const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);

/** A field for an amount. */
export function Amount({ field, label, unit }: { field: FieldFacts; label: string; unit: string }) {
  return (
    <span className="input-unit">
      <input
        {...controlProps(field, false)}
        required={false}
        className="input input--short input--num"
        type="number"
        inputMode="numeric"
        defaultValue={textOf(field.initialValue)}
        aria-label={label}
      />
      {unit}
    </span>
  );
}

type AnswersProps = {
  field: FieldFacts;
  label: string;
  answers: readonly (readonly [value: string, text: string])[];
};

/** A field with a few options. */
export function Answers({ field, label, answers }: AnswersProps) {
  return (
    <select
      className="select select--auto"
      name={field.name}
      defaultValue={textOf(field.initialValue)}
      aria-label={label}
    >
      {answers.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  );
}
