import type { Role } from '@foreword/contract';
import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { mayActAs, useSession } from '../session.ts';

interface Page {
  readonly to: NonNullable<LinkProps['to']>;
  readonly minRole: Role;
}

/** The pages of objects, by the start of their IDs. */
const PAGES: Readonly<Record<string, Page>> = {
  int: { to: '/intros/$id', minRole: 'member' },
  evt: { to: '/events/$id', minRole: 'manager' },
  mem: { to: '/members/$id', minRole: 'manager' },
  key: { to: '/developers/keys', minRole: 'owner' },
  req: { to: '/developers/requests/$id', minRole: 'owner' },
  whk: { to: '/developers/webhooks/$id', minRole: 'owner' },
};

const pageOf = (id: string): Page | undefined => PAGES[id.slice(0, id.indexOf('_'))];

export const hasPage = (id: string): boolean => pageOf(id) !== undefined;

/** Links to the page of an object, for those who may open it. */
export function ObjectLink({ id, name = id }: { id: string; name?: ReactNode }) {
  const { role } = useSession().member;
  const page = pageOf(id);
  if (page === undefined || !mayActAs(role, page.minRole)) return name;
  return (
    <Link to={page.to} params={{ id }}>
      {name}
    </Link>
  );
}

/** Links to the page of a touchpoint, for those who may open it. */
export function TouchpointLink({ slug, name }: { slug: string; name: string }) {
  const { role } = useSession().member;
  if (!mayActAs(role, 'manager')) return name;
  return (
    <Link to="/touchpoints/$slug" params={{ slug }}>
      {name}
    </Link>
  );
}
