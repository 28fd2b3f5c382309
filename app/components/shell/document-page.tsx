import type { ReactNode } from 'react';
import { OpenShell } from './open-shell.tsx';
import { PageHead } from './page-head.tsx';

/** A page of plain text: a title, an introduction, and sections. */
export interface PlainDocument {
  title: string;
  lede: string;
  sections: readonly { heading: string; text: readonly string[]; list?: readonly string[] }[];
}

/** Children are shown below the last section. */
export function DocumentPage({ document, children }: { document: PlainDocument; children?: ReactNode }) {
  const { title, lede, sections } = document;
  return (
    <OpenShell>
      <article className="prose">
        <PageHead title={title} lede={lede} />
        {sections.map(({ heading, text, list }) => (
          <section key={heading} className="stack stack-3">
            <h2>{heading}</h2>
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
    </OpenShell>
  );
}
