import { Link } from '@tanstack/react-router';
import { formatName } from '../format.ts';
import { Avatar } from '../parts/avatar.tsx';
import { Icon } from '../parts/icon.tsx';
import { useSession } from '../session.ts';
import { FRAME } from '../texts/common.ts';
import { navItemsFor } from './nav-items.ts';
import { Organization } from './organization.tsx';
import { SignOut } from './sign-out.tsx';

/** Used by the desktop sidebar and the phone menu. */
export function Navigation() {
  const { member } = useSession();
  return (
    <nav className="navigation" aria-label={FRAME.navigation}>
      <Organization />
      {navItemsFor(member.role).map((group) => (
        <ul key={group[0]?.to} className="nav-group">
          {group.map(({ to, name, icon }) => (
            <li key={to}>
              <Link
                to={to}
                className="nav-item"
                activeProps={{ className: 'nav-item nav-current', 'aria-current': 'page' }}
              >
                <Icon name={icon} />
                {name}
              </Link>
            </li>
          ))}
        </ul>
      ))}
      <div className="nav-group nav-account">
        <Link
          to="/settings"
          className="nav-item"
          activeProps={{ className: 'nav-item nav-current', 'aria-current': 'page' }}
        >
          <Avatar name={formatName(member)} photo={member.photo_url} size="small" />
          <span className="nav-name">{formatName(member)}</span>
        </Link>
        <SignOut />
      </div>
    </nav>
  );
}
