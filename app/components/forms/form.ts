import type { Constraint, SubmissionResult } from '@conform-to/dom';
import { useEffect } from 'react';
import type { FieldFacts } from './field.tsx';
import { useLastAnswer } from './last-answer.ts';

interface Options<Shape> {
  id: string;
  /** The validation attributes that a browser checks by itself. */
  constraint?: Partial<Record<string, Constraint>> | undefined;
  /** The server's last answer to the form. */
  lastResult?: SubmissionResult<string[]> | null | undefined;
  /** Initial values of the fields. */
  defaultValue?: { readonly [Name in keyof Shape]?: unknown } | undefined;
}

/** A form's attributes and errors. */
export interface FormFacts {
  props: { id: string; noValidate: true; 'aria-describedby': string | undefined };
  errorId: string;
  errors: string[] | undefined;
}

/**
 * A form that its action validates on the server. Errors are shown at the fields until the next answer, and the first
 * invalid field gets the focus.
 */
export function useForm<Shape>(
  options: Options<Shape>,
): [FormFacts, Record<keyof Shape & string, FieldFacts>] {
  const { id, constraint, defaultValue } = options;
  const result = useLastAnswer(options.lastResult ?? undefined);
  useEffect(() => {
    const wrong = ':is(input, select, textarea)[aria-invalid="true"]';
    if (result?.error) document.getElementById(id)?.querySelector<HTMLElement>(wrong)?.focus();
  }, [id, result]);
  const errorsOf = (name: string) => result?.error?.[name] ?? undefined;
  const initialValue: Record<string, unknown> = result?.initialValue ?? defaultValue ?? {};
  const fieldOf = (name: string): FieldFacts => {
    const fieldId = `${id}-${name}`;
    return {
      id: fieldId,
      name,
      errors: errorsOf(name),
      errorId: `${fieldId}-error`,
      descriptionId: `${fieldId}-description`,
      initialValue: initialValue[name],
      ...constraint?.[name],
    };
  };
  const errors = errorsOf('');
  const errorId = `${id}-error`;
  const props = { id, noValidate: true, 'aria-describedby': errors && errorId } as const;
  // Only the schema knows the fields, and it stays on the server.
  const fields = new Proxy({}, { get: (_, name) => (typeof name === 'string' ? fieldOf(name) : undefined) });
  return [{ props, errorId, errors }, fields as Record<keyof Shape & string, FieldFacts>];
}
