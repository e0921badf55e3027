import { lanesOf, NOTIFY_BY, OPERATIONS, Type } from '@foreword/contract';
import { readConfig } from '../app/config/index.ts';
import { endAccess, resetPasskeys } from '../console/index.ts';
import type { Db, Row } from '../db/tenancy.ts';
import {
  addMember,
  changeMember,
  findAnotherOwner,
  listAllMembers,
  presentMember,
  reactivateMember,
  requireMember,
  type TeamEditor,
  updateMember,
} from '../members/index.ts';
import { ApiError } from '../platform/errors.ts';
import { recordChange } from '../privacy/audit/index.ts';
import {
  currentConsentText,
  findRemoval,
  listConsents,
  presentLikeness,
  withdrawConsent,
} from '../privacy/likeness/index.ts';
import { choice, Option, Removable } from './command.ts';
import { organizationCommand, type Place } from './database-command.ts';
import { minuteOf, showFields, showList, showObject } from './print.ts';
import { Failure, orFailure } from './terminal.ts';

const present = (row: Row<'members'>) => ({
  ...presentMember(row),
  role: row.role,
  photo: row.photo,
  notify: row.notify_by,
});

/** The operator may do what an owner may do. */
const editorFor = ({ organization, tenant }: Pick<Place, 'organization' | 'tenant'>): TeamEditor => ({
  tenant,
  memberId: null,
  role: 'owner',
  possibleLanes: lanesOf(organization),
});

const flags = { lanes: 'lane', notify_by: 'notify' };
const notify_by = Type.Optional(
  choice(NOTIFY_BY, 'How to notify the member about intros to record. Default for a new member: text.'),
);
const role = Type.Optional(
  choice(
    ['owner', 'manager', 'member'],
    'Role in the console. Default for a new member: member. An organization keeps at least one owner.',
  ),
);

async function storePhoto({ organization_id: org, id }: Row<'members'>, file: string | null): Promise<string | null> {
  if (file === null) return null;
  const { storePicture } = await import('./pictures.ts');
  return storePicture(readConfig(), { file, shape: 'face', keyFor: (hash) => `${org}/members/${id}-${hash}.jpg` });
}

/** Names the taken id. */
async function withExternalId<T>(id: string | null | undefined, work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    const isTaken = error instanceof ApiError && error.field === 'external_id';
    throw isTaken ? new Failure(`Another member of this organization already has the external ID "${id}".`) : error;
  });
}

async function readConsent(tx: Db, { organization, tenant }: Place, id: string) {
  const member = await requireMember(tx, tenant, id);
  const [consents, removal] = [await listConsents(tx, tenant, id), await findRemoval(tx, tenant, id)];
  const text = currentConsentText(organization.language, organization.name);
  const { text: _, ...likeness } = presentLikeness(member, { consents, removal, text });
  return { id, object: 'likeness', ...likeness };
}

/** JSON has the texts and all consents; people see the state and the last one. */
function showConsent(likeness: Awaited<ReturnType<typeof readConsent>>) {
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

export const memberCommands = [
  organizationCommand({
    name: 'member create',
    summary: 'Adds a member to an organization.',
    flags,
    input: { ...OPERATIONS.createMember.body.schema.properties, notify_by, role },
    example: '--first-name Ana --last-name Ng --email ana@acme.example --external-id rep_17',
    async run({ now, ...place }, member) {
      const adding = addMember(place.tx, () => now, editorFor(place), member);
      return present(await withExternalId(member.external_id, adding));
    },
  }),
  organizationCommand({
    name: 'member set',
    of: 'mem',
    needsOption: true,
    summary: 'Changes the details of a member, such as the role, the lanes or the notifications.',
    flags,
    input: {
      ...OPERATIONS.updateMember.body.schema.properties,
      photo: Removable(Type.String(), 'A PNG or JPEG file, cropped to the center.'),
      notify_by,
      role,
    },
    example: '--title "project manager" --role owner',
    async run({ now, ...place }, { photo, ...given }) {
      const { tx, tenant, id } = place;
      const before = await requireMember(tx, tenant, id);
      const change = { ...given, ...(photo !== undefined && { photo: await storePhoto(before, photo) }) };
      const row = await withExternalId(given.external_id, changeMember(tx, editorFor(place), id, change));
      // Members sign in with their email, so a new one ends the sessions that the old one started.
      if (row.email.toLowerCase() !== before.email.toLowerCase()) await endAccess(tx, tenant, [id], now);
      return present(row);
    },
  }),
  organizationCommand({
    name: 'member deactivate',
    of: 'mem',
    summary: 'Deactivates a member, who gets no new intros. Their recorded intros stay.',
    input: {},
    async run({ tx, tenant, id }) {
      const before = await requireMember(tx, tenant, id);
      const row = (await updateMember(tx, tenant, id, { active: false })) ?? before;
      if (before.active) await recordChange(tx, tenant, { action: 'member.deactivated', object: id });
      const isLastOwner = row.role === 'owner' && (await findAnotherOwner(tx, tenant, id)) === null;
      return { row, isLastOwner };
    },
    show: ({ row, isLastOwner }) => ({
      ...showObject(present(row)),
      ...(isLastOwner && {
        complaint: 'This organization has no active owner now. Use foreword member set ID --role owner.',
      }),
    }),
  }),
  organizationCommand({
    name: 'member activate',
    of: 'mem',
    summary: 'Activates a deactivated member, who gets new intros and can sign in again.',
    input: {},
    async run({ now, ...place }) {
      const { tx, tenant, id } = place;
      const found = await requireMember(tx, tenant, id);
      if (found.active) return present(found);
      const row = await reactivateMember(tx, editorFor(place), id);
      // Deactivating with the command does not end sessions, and they must not work again.
      await endAccess(tx, tenant, [id], now);
      return present(row);
    },
  }),
  organizationCommand({
    name: 'member reset-passkeys',
    of: 'mem',
    summary: 'Removes all passkeys of a member who lost them, and signs the member out.',
    input: {},
    async run({ tx, tenant, id, now }) {
      const row = await requireMember(tx, tenant, id);
      return { ...present(row), removed_passkeys: await resetPasskeys(tx, tenant, id, now) };
    },
  }),
  organizationCommand({
    name: 'member list',
    summary: 'Lists the members of an organization, newest first, including deactivated ones.',
    input: {},
    run: ({ tx, tenant }) => listAllMembers(tx, tenant),
    show: (rows) =>
      showList({ data: rows.map(present) }, [
        'id',
        ['name', ({ first_name, last_name }) => `${first_name} ${last_name}`],
        'email',
        'role',
        'active',
      ]),
  }),
  organizationCommand({
    name: 'member show',
    of: 'mem',
    summary: 'Shows a member, active or deactivated.',
    input: {},
    run: async ({ tx, tenant, id }) => present(await requireMember(tx, tenant, id)),
  }),
  organizationCommand({
    name: 'member consent',
    of: 'mem',
    summary: 'Shows when a member gave or withdrew the consent to the use of their likeness, and to which text.',
    input: {},
    run: (place) => readConsent(place.tx, place, place.id),
    show: showConsent,
  }),
  organizationCommand({
    name: 'member withdraw-consent',
    of: 'mem',
    summary:
      'Withdraws the consent on behalf of a member. Their videos and pages are removed within a minute, for good.',
    input: {
      reassign_to: Option('ID of the member who records the open intros. Default: they are closed.'),
    },
    example: '--reassign-to mem_01kahzv8e1f0rtx5m2q6n9d3bx',
    async run(place, { reassign_to: reassignTo = null }) {
      const { tx, tenant, id, now } = place;
      await orFailure(withdrawConsent(tx, tenant, { memberId: id, by: null, reassignTo }, now));
      return readConsent(tx, place, id);
    },
    show: showConsent,
  }),
];
