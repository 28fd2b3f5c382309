import type { ReactNode } from 'react';
import { OpenShell } from './open-shell.tsx';
import { PageHead } from './page-head.tsx';

interface Section {
  /** Names the section in an address, in every language. */
  id?: string;
  heading: string;
  text: readonly string[];
  list?: readonly string[];
}

/** A page of plain text: a title, an introduction, and sections. */
export interface PlainDocument {
  title: string;
  lede: string;
  /** The title of the list of its sections, which then have ids; without one there is no list. */
  contents?: string;
  sections: readonly Section[];
}

function Contents({ title, sections }: { title: string; sections: readonly Section[] }) {
  return (
    <nav className="aside only-wide stack stack-2 s13" aria-label={title}>
      <p className="strong">{title}</p>
      <ul className="stack stack-2">
        {sections.map(({ id, heading }) => (
          <li key={id}>
            <a href={`#${id}`}>{heading}</a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Children are shown below the last section. */
export function DocumentPage({ document, children }: { document: PlainDocument; children?: ReactNode }) {
  const { title, lede, contents, sections } = document;
  return (
    <OpenShell>
      <div className={contents && 'with-aside'}>
        <article className="prose">
          <PageHead title={title} lede={lede} />
          {sections.map(({ id, heading, text, list }) => (
            <section key={heading} className="stack stack-3">
              <h2 id={id}>{heading}</h2>
              {text.map((paragraph) => (
                <p key={paragraph}>{paragraph}</p>
              ))}
              {list && (
                <ul>
                  {list.map((line) => (
                    <li key={line}>{line}</li>
                  ))}
                </ul>
              )}
            </section>
          ))}
          {children}
        </article>
        {contents && <Contents title={contents} sections={sections} />}
      </div>
    </OpenShell>
  );
}
