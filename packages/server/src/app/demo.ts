import { makeSignInPath } from '../console/index.ts';
import type { Database, Tx } from '../db/tenancy.ts';
import { createKey, DEMO_KEY_NAME } from '../http/access/index.ts';
import { createMember } from '../members/index.ts';
import { createOrganization, listOrganizations, lockOrganizations, testTenant } from '../organizations/index.ts';
import type { Clock } from '../platform/clock.ts';

export interface Demo {
  readonly organizationName: string;
  readonly key: string;
  /** Path of a one-time link that signs the owner in to the console. */
  readonly signInPath: string;
}

/** Creates a demo organization in an empty database. Its key can only be shown now. */
export function seedDemo(db: Database, clock: Clock, cell: string | undefined): Promise<Demo | null> {
  return db.kysely.transaction().execute(async (tx) => {
    // If several nodes start on an empty database, only the first one creates the demo.
    await lockOrganizations(tx);
    if ((await listOrganizations(tx)).length > 0) return null;
    return createDemo(tx, clock, cell);
  });
}

async function createDemo(tx: Tx, clock: Clock, cell: string | undefined): Promise<Demo> {
  const organization = await createOrganization(tx, clock, {
    name: 'Acme Roofing',
    industry: 'exterior_remodeling',
    lanes: [],
    timezone: 'America/Chicago',
    accent: '#b4451f',
    office_phone: '+13125550100',
    license: 'IL 104.018842',
  });
  const tenant = testTenant(organization.id);
  const owner = await createMember(tx, clock, tenant, {
    external_id: 'rep_17',
    first_name: 'Ana',
    last_name: 'Ng',
    email: 'ana@acme.example',
    // A test number, so that her notifications are simulated.
    phone: '+15005550117',
    lanes: [],
    role: 'owner',
    title: 'project manager',
  });
  // With every permission, so that each request of the reference can be tried.
  const { key } = await createKey(tx, clock, tenant, DEMO_KEY_NAME, { recordingLinks: true, cell });
  const signInPath = await makeSignInPath(tx, clock(), { tenant, id: owner.id });
  return { organizationName: organization.name, key, signInPath };
}
