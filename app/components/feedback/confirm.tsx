import {
  type MouseEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { Form } from 'react-router';
import { Button, type ButtonKind, ButtonLink, SubmitButton } from '#app/components/forms/button.tsx';
import { ErrorText } from '#app/components/forms/field.tsx';
import { Link } from '#app/components/shell/link.tsx';
import { type Crumb, Crumbs } from '#app/components/shell/page-head.tsx';
import { PageTitle } from '#app/components/shell/page-title.tsx';
import { Unbroken } from '#app/components/text/unbroken.tsx';
import { Callout } from './callout.tsx';

/** The question. The button names the action and its count: "Return 4 items". */
export type Question = {
  title: string;
  /** The consequence, in one or two sentences. */
  text: ReactNode;
  /** The affected items: item lines, or a list of amounts. */
  children?: ReactNode;
  act: string;
  keep: string;
  destructive?: boolean;
  /** Hidden fields of the form. */
  fields?: Record<string, string | readonly string[]>;
};

function HiddenFields({ fields = {} }: { fields?: Question['fields'] }) {
  return Object.entries(fields).flatMap(([name, value]) =>
    [value].flat().map((each) => <input key={`${name} ${each}`} type="hidden" name={name} value={each} />),
  );
}

function actKind({ destructive }: Question): ButtonKind {
  return destructive ? 'danger-fill' : 'primary';
}

type PageProps = Question & {
  /**
   * The address that the safe button leads to, or the name under which it sends the fields, to show their
   * form again.
   */
  back: string | { name: string };
  above: readonly Crumb[];
  /** The form's action; the page itself if omitted. */
  action?: string;
  /** The reason why the action failed, as a key of the locale. */
  error?: string | undefined;
  /** A way out of the error, as another key. */
  hint?: string | undefined;
  /** This page's name in the breadcrumbs, if the action's name is too long for it. */
  crumb?: string;
  /** The action is impossible: the page says why and has no button. */
  impossible?: boolean;
};

/** A confirmation as its own page. It works without JavaScript, and every dialog's opener links to it. */
export function ConfirmPage({ back, above, action, error, hint, crumb, impossible, ...question }: PageProps) {
  return (
    <div className="confirm stack">
      <PageTitle>{question.title}</PageTitle>
      <Crumbs above={above} here={crumb ?? question.act} />
      {error && (
        <Callout type="danger">
          <p>
            <ErrorText error={error} />
          </p>
          {hint && (
            <p>
              <ErrorText error={hint} />
            </p>
          )}
        </Callout>
      )}
      <Form className="sheet" method="post" action={action}>
        <HiddenFields fields={question.fields} />
        <div className="dialog__body">
          <div>
            <h1>
              <Unbroken text={question.title} />
            </h1>
            <p className="muted mt-2">{question.text}</p>
          </div>
          {question.children}
        </div>
        <div className="dialog__foot">
          {typeof back === 'string' ? (
            <ButtonLink kind="quiet" to={back}>
              {question.keep}
            </ButtonLink>
          ) : (
            <Button kind="quiet" name={back.name} value="1">
              {question.keep}
            </Button>
          )}
          {!impossible && (
            <SubmitButton kind={actKind(question)} formAction={action}>
              {question.act}
            </SubmitButton>
          )}
        </div>
      </Form>
    </div>
  );
}

type DialogProps = Question & {
  /**
   * The confirmation page, which the opener leads to without JavaScript, and which the form is sent to with
   * it.
   */
  page: string;
  /** The opener's label and style. */
  opener: ReactNode;
  openerClass?: string;
  /** The opener's accessible name, if its label names no object, as in a list. */
  openerLabel?: string;
  /**
   * The form whose fields the confirmation page needs. The opener submits that form; with JavaScript it opens this
   * dialog.
   */
  openerForm?: string;
  /** Nothing can be confirmed yet: the opener leads to the confirmation page, which says what is missing. */
  openerPlain?: boolean;
};

function Dialog({
  dialog,
  page,
  ...question
}: Question & { dialog: RefObject<HTMLDialogElement | null>; page: string }) {
  const close = () => dialog.current?.close();
  return (
    <dialog className="dialog" ref={dialog} aria-label={question.title} closedby="any">
      <Form method="post" action={page} onSubmit={close}>
        <HiddenFields fields={question.fields} />
        <div className="dialog__body">
          <div>
            <h2>
              <Unbroken text={question.title} />
            </h2>
            <p className="muted mt-2">{question.text}</p>
          </div>
          {question.children}
        </div>
        <div className="dialog__foot">
          <button type="button" className="btn btn--quiet" onClick={close}>
            {question.keep}
          </button>
          <button type="submit" className={`btn btn--${actKind(question)}`}>
            {question.act}
          </button>
        </div>
      </Form>
    </dialog>
  );
}

/** A confirmation dialog. Its opener is a link to the confirmation page, so it works without JavaScript. */
export function ConfirmDialog({
  opener,
  openerClass = 'btn btn--secondary',
  openerForm,
  openerLabel,
  openerPlain = false,
  ...rest
}: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  // Most dialogs of a list are never opened, so each is rendered when it opens.
  const [wanted, setWanted] = useState(false);
  useEffect(() => {
    if (wanted) dialog.current?.showModal();
  }, [wanted]);
  const open = (event: MouseEvent) => {
    if (openerPlain || event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    setWanted(true);
    dialog.current?.showModal();
  };
  return (
    <>
      {openerForm === undefined ? (
        <Link className={openerClass} to={rest.page} onClick={open} aria-label={openerLabel}>
          {opener}
        </Link>
      ) : (
        <button type="submit" form={openerForm} formAction={rest.page} className={openerClass} onClick={open}>
          {opener}
        </button>
      )}
      {wanted && <Dialog dialog={dialog} {...rest} />}
    </>
  );
}

/** Returns whether React has hydrated: false on the server, and always without JavaScript. */
export const useHydrated = (): boolean =>
  useSyncExternalStore(
    () => () => {},
    () => true,
    () => false,
  );

/** A confirmation that opens for every answer `to` a form that was validated first. */
export function OpenDialog({ to, ...question }: Question & { page: string; to: object }) {
  const dialog = useRef<HTMLDialogElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each answer opens it again, even with the same question.
  useEffect(() => {
    if (!dialog.current?.open) dialog.current?.showModal();
  }, [to]);
  return <Dialog dialog={dialog} {...question} />;
}

/** The affected kinds and their amounts, in a confirmation. */
export function AffectedList({
  rows,
}: {
  rows: readonly { key?: string; label: string; value: ReactNode }[];
}) {
  return (
    <dl className="kv">
      {rows.map(({ label, value, key = label }) => (
        <div className="kv__row" key={key}>
          <dt>{label}</dt>
          <dd className="num">
            <b>{value}</b>
          </dd>
        </div>
      ))}
    </dl>
  );
}
