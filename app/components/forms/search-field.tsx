import { Icon } from '#app/components/icons/icon.tsx';
import { Search } from '#app/components/icons/signs.ts';

/** A search field, as part of a list's filters. */
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
