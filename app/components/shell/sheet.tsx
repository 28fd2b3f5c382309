import type { ReactNode } from 'react';

type Props = {
  /** A heading for the head of the sheet. */
  title?: ReactNode;
  /** What stands at the other end of the head. */
  aside?: ReactNode;
  foot?: ReactNode;
  /** Rows are parted by hairlines, and each row brings its own padding. */
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
