import { PageHeader } from '../../parts/display.tsx';
import { NAV } from '../../texts.ts';
import { Erasures } from '../erasures/card.tsx';
import { LinkDomains } from './link-domains.tsx';
import { Export, Retention } from './retention.tsx';
import { RequirePasskeys } from './security.tsx';

/** Who may sign in how, and the hosts of recipients' links. */
export const SecurityPage = () => (
  <>
    <PageHeader title={NAV.security} />
    <RequirePasskeys />
    <LinkDomains />
  </>
);

/** How long data is kept, and how it leaves. */
export const DataPage = () => (
  <>
    <PageHeader title={NAV.data} />
    <Retention />
    <Export />
    <Erasures />
  </>
);
