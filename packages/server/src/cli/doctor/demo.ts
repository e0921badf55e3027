import { listDemoKeys } from '../../access/index.ts';
import type { Tables } from '../../db/tenancy.ts';
import { listOrganizations } from '../../organizations/index.ts';
import type { Queryable } from '../../platform/db.ts';
import { type Finding, note, ok, warning } from './finding.ts';

/** The organizations that a first start did not create. */
export async function listRealOrganizations(db: Queryable<Tables>): Promise<string[]> {
  const demos = (await listDemoKeys(db)).map((key) => key.organization_id);
  return (await listOrganizations(db)).map(({ id }) => id).filter((id) => !demos.includes(id));
}

/** The demo's key was printed to a terminal or a log, and has every permission. */
export async function checkDemoKey(db: Queryable<Tables>): Promise<Finding[]> {
  const name = 'demo key';
  const keys = await listDemoKeys(db);
  const [key] = keys.filter(({ revoked_at }) => revoked_at === null);
  if (key === undefined) return keys.length === 0 ? [] : [ok(name, 'Revoked.')];
  const used = key.last_used_at === null ? 'not used yet' : `last used ${key.last_used_at.toISOString()}`;
  const hasReal = (await listRealOrganizations(db)).length > 0;
  const message = `The key of the demo organization, which the first start printed, still works (${used}).`;
  return [(hasReal ? warning : note)(name, message, `Run foreword key revoke ${key.id} before real customers.`)];
}
