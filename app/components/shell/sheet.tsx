import type { ReactNode } from 'react';

type Props = {
  /** A heading for the sheet's header. */
  title?: ReactNode;
  /** Content at the other end of the header. */
  aside?: ReactNode;
  foot?: ReactNode;
  /** Rows with dividers, which bring their own padding. */
  rows?: boolean;
  children: ReactNode;
};

/** The only kind of box. Sheets are never nested. */
export function Sheet({ title, aside, foot, rows = false, children }: Props) {
  return (
    <section className="sheet">
      {title && (
        <div className="sheet__head">
          <h2>{title}</h2>
          {aside}
        </div>
      )}
      {rows ? <div className="rows">{children}</div> : <div className="sheet__pad stack">{children}</div>}
      {foot && <div className="sheet__foot">{foot}</div>}
    </section>
  );
}
