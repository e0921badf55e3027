import { Link } from '@tanstack/react-router';
import { Icon } from '../parts/icon.tsx';
import { FRAME, PLACES } from '../texts/common.ts';
import { Organization } from './organization.tsx';

/** Members have two places, so that they need no menu. */
export function MemberBar() {
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: outside of main it is a banner, which has a name; previews bring another.
    <header className="bar bar-member" aria-label={FRAME.bar}>
      <Organization />
      <nav className="bar-places" aria-label={FRAME.navigation}>
        {(['home', 'settings'] as const).map((name) => (
          <Link
            key={name}
            to={`/${name}`}
            className="bar-button"
            activeProps={{ className: 'bar-button place-here', 'aria-current': 'page' }}
          >
            <Icon name={name} />
            <span>{PLACES[name]}</span>
          </Link>
        ))}
      </nav>
    </header>
  );
}
