import { type ComponentType, createContext, type HTMLAttributes, use } from 'react';

/** Draws a component as markup, with nothing around it but the texts of the visitor's language. */
export type DrawStill = <Facts extends object>(
  content: ComponentType<Facts>,
  facts: Facts,
) => { __html: string };

/** The server's; a browser has none. */
export const StillContext = createContext<DrawStill | null>(null);

type Props<Facts> = Omit<HTMLAttributes<HTMLDivElement>, 'children' | 'dangerouslySetInnerHTML'> & {
  of: ComponentType<Facts>;
  facts: Facts;
};

/**
 * A part of the page that depends on its facts and on the language alone, such as the menu. The server draws
 * it once for all pages that have it, the browser like any other component. Its content reads no context but
 * the texts, and its facts identify nobody.
 */
export function Still<Facts extends object>({ of: Content, facts, ...rest }: Props<Facts>) {
  const draw = use(StillContext);
  if (import.meta.env.SSR && draw)
    // biome-ignore lint/security/noDangerouslySetInnerHtml: React has drawn it.
    return <div {...rest} dangerouslySetInnerHTML={draw(Content, facts)} />;
  return (
    <div {...rest}>
      <Content {...facts} />
    </div>
  );
}
