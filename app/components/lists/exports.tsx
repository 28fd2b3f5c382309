import { ButtonLink } from '#app/components/forms/button.tsx';
import { Download } from '#app/components/icons/signs.ts';

const formats = { csv: 'CSV', json: 'JSON' };

/** Links to a list as a file in each format, with the list's current filters. */
export function Exports({ path, filters }: { path: string; filters: Record<string, string> }) {
  const asked = Object.entries(filters).filter(([, value]) => value !== '');
  return (
    <span className="line line-tight push">
      {Object.entries(formats).map(([format, name]) => (
        <ButtonLink
          key={format}
          kind="quiet"
          icon={Download}
          reloadDocument
          to={`${path}?${new URLSearchParams([['format', format], ...asked])}`}
        >
          {name}
        </ButtonLink>
      ))}
    </span>
  );
}
