import { Icon, type Sign } from '#app/components/icons/icon.tsx';

/** Three short statements side by side. */
export function Blurbs({ blurbs }: { blurbs: { icon: Sign; title: string; text: string }[] }) {
  return (
    <div className="grid-3 mt-12">
      {blurbs.map(({ icon, title, text }) => (
        <div className="blurb" key={title}>
          <Icon of={icon} size="large" />
          <h3>{title}</h3>
          <p>{text}</p>
        </div>
      ))}
    </div>
  );
}
