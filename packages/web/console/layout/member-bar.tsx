import { Link } from '@tanstack/react-router';
import { Icon } from '../parts/icon.tsx';
import { FRAME, NAV } from '../texts/common.ts';
import { Organization } from './organization.tsx';

/** Members have only two pages, so both links fit without a menu. */
export function MemberBar() {
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: a header outside of main is a banner, and a name tells it apart from the one in a preview.
    <header className="bar bar-member" aria-label={FRAME.bar}>
      <Organization />
      <nav className="bar-nav" aria-label={FRAME.navigation}>
        {(['home', 'settings'] as const).map((name) => (
          <Link
            key={name}
            to={`/${name}`}
            className="bar-button"
            activeProps={{ className: 'bar-button nav-current', 'aria-current': 'page' }}
          >
            <Icon name={name} />
            <span>{NAV[name]}</span>
          </Link>
        ))}
      </nav>
    </header>
  );
}
