import { Link } from '@tanstack/react-router';
import { formatName } from '../format.ts';
import { Avatar } from '../parts/avatar.tsx';
import { Icon } from '../parts/icon.tsx';
import { useSession } from '../session.ts';
import { FRAME } from '../texts/common.ts';
import { Organization } from './organization.tsx';
import { placesFor } from './places.ts';
import { SignOut } from './sign-out.tsx';

/** The same in the column of a desk and in the sheet of a phone. */
export function Navigation() {
  const { member } = useSession();
  return (
    <nav className="navigation" aria-label={FRAME.navigation}>
      <Organization />
      {placesFor(member.role).map((group) => (
        <ul key={group[0]?.to} className="places">
          {group.map(({ to, name, icon }) => (
            <li key={to}>
              <Link to={to} className="place" activeProps={{ className: 'place place-here', 'aria-current': 'page' }}>
                <Icon name={icon} />
                {name}
              </Link>
            </li>
          ))}
        </ul>
      ))}
      <div className="places places-own">
        <Link to="/settings" className="place" activeProps={{ className: 'place place-here', 'aria-current': 'page' }}>
          <Avatar name={formatName(member)} photo={member.photo_url} size="small" />
          <span className="place-name">{formatName(member)}</span>
        </Link>
        <SignOut />
      </div>
    </nav>
  );
}
