import { type ReactNode, useEffect, useRef } from 'react';
import { useLocation } from 'react-router';
import { Callout } from '#app/components/feedback/callout.tsx';
import { Icon } from '#app/components/icons/icon.tsx';
import { ChevronDown, LogOut, Menu as MenuIcon, Monitor } from '#app/components/icons/signs.ts';
import { useTranslation } from '#app/components/text/translation.tsx';
import { accountMenu, type MenuEntry, type MenuGroup, menu, signOutPath } from '#app/menu.ts';
import { Brand } from './brand.tsx';
import { Link } from './link.tsx';
import { type UserSummary, usePageContext } from './page-context.tsx';
import { PageFoot } from './page-foot.tsx';
import { Switches } from './preference-switches.tsx';

/**
 * The facts that the menu shows about this page: its entry there, and the number of rewards ready to claim.
 */
type MenuFacts = { here: string | undefined; ready: number };

function Ready({ count }: { count: number | undefined }) {
  const { t } = useTranslation();
  if (!count) return null;
  return (
    <span className="count">
      {count}
      <span className="vh"> {t('shell.ready')}</span>
    </span>
  );
}

function RailLink({ entry, here, ready }: MenuFacts & { entry: MenuEntry }) {
  const { t } = useTranslation();
  const count = entry.counts === 'ready' ? ready : 0;
  return (
    <Link className="rail__link" to={entry.to} aria-current={entry.to === here ? 'page' : undefined}>
      <Icon of={entry.icon} />
      <span>{t(entry.label)}</span>
      <Ready count={count} />
    </Link>
  );
}

function RailGroup({ group, ...facts }: MenuFacts & { group: MenuGroup }) {
  const { t } = useTranslation();
  const links = group.entries.map((entry) => <RailLink key={entry.to} entry={entry} {...facts} />);
  if (links.length === 0) return null;
  return (
    <>
      {/* A single link on top needs no visible heading. */}
      <div className={group.name === 'general' ? 'vh' : 'rail__title'} id={`rail-${group.name}`}>
        {t(`shell.group.${group.name}`)}
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: links in a menu are no fieldset. */}
      <div role="group" aria-labelledby={`rail-${group.name}`}>
        {links}
      </div>
    </>
  );
}

const entries = menu.flatMap((group) => group.entries);

/** The menu: a column beside the page, and on small screens a popover that works without JavaScript. */
function Rail({ user }: { user: UserSummary | null }) {
  const { t } = useTranslation();
  const { key, pathname } = useLocation();
  const here = entries.find(({ to }) => `${pathname}/`.startsWith(`${to}/`))?.to;
  const rail = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a navigation closes the popover.
  useEffect(() => {
    if (rail.current?.matches(':popover-open')) rail.current.hidePopover();
  }, [key]);
  return (
    <nav className="rail" id="rail" popover="auto" ref={rail} aria-label={t('shell.main')}>
      <div className="rail__brand">
        <Brand />
      </div>
      <div>
        {menu.map((group) => (
          <RailGroup key={group.name} group={group} here={here} ready={user?.readyCount ?? 0} />
        ))}
      </div>
      <Switches className="rail__switches only-narrow" />
    </nav>
  );
}

function AccountLinks({ isOperator }: { isOperator: boolean }) {
  const { t } = useTranslation();
  return (
    <>
      {accountMenu.map(({ to, label, icon }) => (
        <Link key={to} to={to}>
          <Icon of={icon} />
          {t(label)}
        </Link>
      ))}
      {isOperator && (
        <Link to="/operator" reloadDocument>
          <Icon of={Monitor} />
          {t('shell.link.operator')}
        </Link>
      )}
      {signOutPath && (
        <Link to={signOutPath}>
          <Icon of={LogOut} />
          {t('shell.link.logout')}
        </Link>
      )}
    </>
  );
}

function AccountMenu({ user }: { user: UserSummary }) {
  const { t } = useTranslation();
  const { key } = useLocation();
  return (
    <details className="menu" key={key} name="account">
      <summary className="btn btn--quiet">
        <Avatar name={user.name} url={user.avatarUrl} size="small" />
        <span className="only-wide">{user.name}</span>
        <Icon of={ChevronDown} size="small" />
        <span className="vh">{t('shell.accountMenu')}</span>
      </summary>
      <div className="menu__list">
        <AccountLinks isOperator={!!user.isOperator} />
      </div>
    </details>
  );
}

const avatarSizes = {
  tiny: 'avatar avatar--xs',
  small: 'avatar avatar--s',
  normal: 'avatar',
  large: 'avatar avatar--l',
  huge: 'avatar avatar--xl',
};

/** The picture of a user or channel, or the first letter of the name, which is beside it. */
export function Avatar({
  name,
  url,
  size = 'normal',
}: {
  name: string;
  url: string | null;
  size?: keyof typeof avatarSizes;
}) {
  return (
    <span className={avatarSizes[size]} aria-hidden="true">
      {url ? <img src={url} alt="" /> : [...name][0]?.toUpperCase()}
    </span>
  );
}

/** Informs a streamer on every page that their rules are paused. */
function TwitchTrouble({ trouble }: { trouble: 'broken' | 'missing' }) {
  const { t } = useTranslation();
  return (
    <Callout type="warning" title={t(`shell.twitch.${trouble}`)}>
      <p>
        {trouble === 'broken' && t('shell.twitchTrouble')} <Link to="/profile">{t('shell.toProfile')}</Link>
      </p>
    </Callout>
  );
}

/** The layout of pages behind the sign-in: menu, bar, content, footer. */
export function Shell({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  const { user } = usePageContext();
  return (
    <>
      <a className="vh" href="#main">
        {t('shell.skip')}
      </a>
      <div className="shell">
        <Rail user={user} />
        <div className="shell__col">
          <header className="shell__bar">
            <button type="button" className="btn btn--quiet btn--icon only-narrow" popoverTarget="rail">
              <span className="vh">{t('shell.menu')}</span>
              <Icon of={MenuIcon} />
              <Ready count={user?.readyCount} />
            </button>
            <span className="only-narrow">
              <Brand />
            </span>
            <div className="line push">
              <Switches className="line only-wide" />
              {user && <AccountMenu user={user} />}
            </div>
          </header>
          <main className="shell__main" id="main" tabIndex={-1}>
            <div className="wrap">
              {user?.twitchTrouble && <TwitchTrouble trouble={user.twitchTrouble} />}
              {children}
            </div>
          </main>
          <PageFoot className="shell__foot" />
        </div>
      </div>
    </>
  );
}
