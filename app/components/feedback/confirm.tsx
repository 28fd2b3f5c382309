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
import { Callout } from './callout.tsx';

/** The question. The button names the action and its count: "Return 4 items". */
export type Question = {
  title: string;
  /** The consequence, in one or two sentences. */
  text: ReactNode;
  /** The exact things affected: item lines, or a list of amounts. */
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
  /** Where the safe button leads; or the name under which it sends the fields, to show their form again. */
  back: string | { name: string };
  above: readonly Crumb[];
  /** Where the form goes; its own page when left out. */
  action?: string;
  /** Why it could not be done, as a key of the locale. */
  error?: string | undefined;
  /** The name of this page in the way back, when the act says too much. */
  crumb?: string;
  /** The action is impossible: the page says why and has no button. */
  impossible?: boolean;
};

/** A confirmation as a page of its own: works without JavaScript, and is what every dialog's opener links to. */
export function ConfirmPage({ back, above, action, error, crumb, impossible, ...question }: PageProps) {
  return (
    <div className="confirm stack">
      <PageTitle>{question.title}</PageTitle>
      <Crumbs above={above} here={crumb ?? question.act} />
      {error && (
        <Callout type="danger">
          <p>
            <ErrorText error={error} />
          </p>
        </Callout>
      )}
      <Form className="sheet" method="post" action={action}>
        <HiddenFields fields={question.fields} />
        <div className="dialog__body">
          <div>
            <h1>{question.title}</h1>
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
  /** The page twin: where the opener leads without JavaScript, and where the form is sent with it. */
  page: string;
  /** The opener: its words and its look. */
  opener: ReactNode;
  openerClass?: string;
  /** What screen readers say of an opener whose words name no object, as in a list. */
  openerLabel?: string;
  /** The form whose fields the page twin needs: then the opener submits that form, and with JavaScript opens this. */
  openerForm?: string;
  /** There is nothing to confirm yet: the opener leads to the page twin, which says what is missing. */
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
            <h2>{question.title}</h2>
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

/** A confirmation over the page. Its opener really leads to the page twin, so nothing is lost without JavaScript. */
export function ConfirmDialog({
  opener,
  openerClass = 'btn btn--secondary',
  openerForm,
  openerLabel,
  openerPlain = false,
  ...rest
}: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  // Most dialogs of a list are never opened, and none is without JavaScript: each is drawn when it is.
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

/** Whether React runs in the browser: false on the server, and always without JavaScript. */
export const useHydrated = (): boolean =>
  useSyncExternalStore(
    () => () => {},
    () => true,
    () => false,
  );

/** A confirmation that opens by itself, for every answer `to` a form that was checked first. */
export function OpenDialog({ to, ...question }: Question & { page: string; to: object }) {
  const dialog = useRef<HTMLDialogElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same question may be asked again by a new answer.
  useEffect(() => {
    if (!dialog.current?.open) dialog.current?.showModal();
  }, [to]);
  return <Dialog dialog={dialog} {...question} />;
}

/** Amounts that a confirmation names: what is affected, and how much of it. */
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
          <dd>
            <b>{value}</b>
          </dd>
        </div>
      ))}
    </dl>
  );
}
