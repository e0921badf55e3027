import type { Tables } from '../../db/tenancy.ts';
import { listFailingDomains } from '../../link-domains/index.ts';
import type { Queryable } from '../../platform/db.ts';
import { type Finding, problem, warning } from './finding.ts';

const NEXT =
  'Check its DNS records and the certificate of the proxy (docs/self-hosting/link-domains.md), then run foreword link-domain check';

/** The link domains whose last check failed although they were proven: their links may not work. */
export async function checkLinkDomains(db: Queryable<Tables>): Promise<Finding[]> {
  return (await listFailingDomains(db)).map(({ id, host, state, organization_id, failure_message }) => {
    const report = state === 'failing' ? problem : warning;
    return report(`link domain ${host}`, `${failure_message} It belongs to ${organization_id}.`, `${NEXT} ${id}.`);
  });
}
