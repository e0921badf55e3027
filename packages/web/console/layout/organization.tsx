import { Link } from '@tanstack/react-router';
import { useSession } from '../session.ts';

/** The organization's logo or name; links to the start page. */
export function Organization() {
  const { name, logo_url } = useSession().organization;
  return (
    <Link to="/" className="organization">
      {logo_url === null ? <span className="organization-name">{name}</span> : <img src={logo_url} alt={name} />}
    </Link>
  );
}
