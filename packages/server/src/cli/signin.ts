import { Email } from '@foreword/contract';
import { Type } from 'typebox';
import { readConfig } from '../config.ts';
import { makeSignInPath } from '../console/index.ts';
import { findActiveByEmail } from '../members/index.ts';
import { testTenant } from '../organizations/index.ts';
import { systemClock } from '../platform/clock.ts';
import { databaseCommand, Organization } from './command.ts';
import { Failure } from './failure.ts';
import { requireOrganization } from './organizations.ts';
import { showObject } from './print.ts';

export const signInCommands = [
  databaseCommand({
    path: ['signin'],
    summary: 'Creates a one-time console sign-in link for a member. It expires after 15 minutes.',
    input: Type.Object({ org: Organization, email: Email }),
    example: 'foreword signin --org "$ORG" --email ana@acme.example',
    async run(tx, { org, email }) {
      const { id: organizationId } = await requireOrganization(tx, org);
      const tenant = testTenant(organizationId);
      const [member, another] = await findActiveByEmail(tx, tenant, email);
      if (member === undefined) {
        throw new Failure(
          `This organization has no active member with that email. See foreword member list --org ${org}.`,
        );
      }
      if (another !== undefined) {
        throw new Failure('Several active members share that email. Change it for all but one of them.');
      }
      const path = await makeSignInPath(tx, systemClock(), { tenant, id: member.id });
      return { url: readConfig().publicUrl + path, member: member.id };
    },
    show: ({ url, member }) =>
      showObject(
        { object: 'signin_link', url, member },
        'Anyone who opens this link is signed in as this member. Send it only to them.',
      ),
  }),
];
