import { Link, type LinkProps } from '@tanstack/react-router';

interface SubNavigationProps {
  label: string;
  items: readonly { readonly to: NonNullable<LinkProps['to']>; readonly name: string; readonly exact?: boolean }[];
}

/** The pages of one part, each with its address. */
export const SubNavigation = ({ label, items }: SubNavigationProps) => (
  <nav className="tab-list" aria-label={label}>
    {items.map(({ to, name, exact = false }) => (
      <Link key={to} to={to} className="tab" activeOptions={{ exact }} activeProps={{ 'aria-current': 'page' }}>
        {name}
      </Link>
    ))}
  </nav>
);
