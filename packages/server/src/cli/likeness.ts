import type { Transaction } from 'kysely';
import { Type } from 'typebox';
import type { Tables } from '../db/tenancy.ts';
import { currentConsentText, findRemoval, listConsents, presentLikeness, withdrawConsent } from '../likeness/index.ts';
import { findAnyMember } from '../members/index.ts';
import { testTenant } from '../organizations/index.ts';
import { databaseCommand } from './command.ts';
import { commandClock } from './connection.ts';
import { Failure, orFailure } from './failure.ts';
import { requireOrganization } from './organizations.ts';
import { minuteOf, showFields } from './print.ts';

const SAMPLE_ID = 'mem_01kahzv8e1f0rtx5m2q6n9d3bw';
const MemberId = Type.String({ description: 'ID of the member (see foreword member list).' });

async function readConsent(tx: Transaction<Tables>, id: string) {
  const member = await findAnyMember(tx, id);
  if (member === null) throw new Failure(`There is no member with the id "${id}". See foreword member list.`);
  const organization = await requireOrganization(tx, member.organization_id);
  const tenant = testTenant(organization.id);
  const [consents, removal] = [await listConsents(tx, tenant, id), await findRemoval(tx, tenant, id)];
  const text = currentConsentText(organization.language, organization.name);
  const { text: _, ...likeness } = presentLikeness(member, { consents, removal, text });
  return { tenant, likeness: { id, object: 'likeness', ...likeness } };
}

type ShownLikeness = Awaited<ReturnType<typeof readConsent>>['likeness'];

/** JSON has the texts and all consents; people see the state and the last one. */
function showLikeness(likeness: ShownLikeness) {
  const { id, state, removal, consents } = likeness;
  const [last] = consents;
  return showFields(likeness, {
    id,
    state,
    version: last?.version ?? null,
    given_at: minuteOf(last?.given_at ?? null),
    withdrawn_at: minuteOf(last?.withdrawn_at ?? null),
    ...(removal !== null && {
      removed_at: minuteOf(removal.finished_at),
      videos: removal.videos,
      pages: removal.taken_down,
      closed_intros: removal.closed,
      reassigned_intros: removal.reassigned,
    }),
  });
}

export const likenessCommands = [
  databaseCommand({
    path: ['member', 'consent'],
    operand: 'ID',
    summary: 'Shows when a member gave or withdrew the consent to the use of their likeness, and to which text.',
    input: Type.Object({ ID: MemberId }),
    example: `foreword member consent ${SAMPLE_ID}`,
    run: async (tx, { ID: id }) => (await readConsent(tx, id)).likeness,
    show: showLikeness,
  }),
  databaseCommand({
    path: ['member', 'withdraw-consent'],
    operand: 'ID',
    summary:
      'Withdraws the consent on behalf of a member. Their videos and pages are removed within a minute, for good.',
    input: Type.Object({
      ID: MemberId,
      'reassign-to': Type.Optional(
        Type.String({ description: 'ID of the member who records the open intros. Default: they are closed.' }),
      ),
    }),
    example: `foreword member withdraw-consent ${SAMPLE_ID} --reassign-to mem_01kahzv8e1f0rtx5m2q6n9d3bx`,
    async run(tx, { ID: id, 'reassign-to': reassignTo = null }) {
      const { tenant } = await readConsent(tx, id);
      await orFailure(withdrawConsent(tx, tenant, { memberId: id, by: null, reassignTo }, commandClock()));
      return (await readConsent(tx, id)).likeness;
    },
    show: showLikeness,
  }),
];
