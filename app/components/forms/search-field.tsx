import { Icon } from '#app/components/icons/icon.tsx';
import { Search } from '#app/components/icons/signs.ts';

/** A field to search a list by a name; part of the list's filters. */
export function SearchField({ name, label, value }: { name: string; label: string; value: string }) {
  return (
    <div className="input-icon">
      <Icon of={Search} />
      <input
        className="input"
        type="search"
        name={name}
        key={value}
        defaultValue={value}
        aria-label={label}
        placeholder={label}
      />
    </div>
  );
}
