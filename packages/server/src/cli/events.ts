import { STORED_EVENT_STATUSES, type TouchpointEvent } from '@foreword/contract';
import type { Transaction } from 'kysely';
import { Type } from 'typebox';
import type { Tables, Tenant } from '../db/tenancy.ts';
import { findEventTenant, listEvents, retrieveEvent, retryEvent } from '../events/index.ts';
import { testTenant } from '../organizations/index.ts';
import type { Queryable } from '../platform/db.ts';
import { listTouchpoints } from '../touchpoints/index.ts';
import { choice, databaseCommand, keyedCommand, Limit, Organization, readLimit } from './command.ts';
import { Failure, orFailure } from './failure.ts';
import { requireOrganization } from './organizations.ts';
import { minuteOf, type Row, showFields, showList } from './print.ts';

const EventId = Type.String({ description: 'ID of the event (see foreword event list).' });
const SAMPLE_ID = 'evt_01kahzv8e1f0rtx5m2q6n9d3bw';

async function requireTenant(db: Queryable<Tables>, id: string): Promise<Tenant> {
  const tenant = await findEventTenant(db, id);
  if (tenant === null) throw new Failure(`There is no event with the id "${id}". See foreword event list.`);
  return tenant;
}

async function requireTouchpoint(tx: Transaction<Tables>, tenant: Tenant, slug: string): Promise<void> {
  if ((await listTouchpoints(tx, tenant)).some((touchpoint) => touchpoint.slug === slug)) return;
  throw new Failure(
    `There is no touchpoint with the slug "${slug}". See foreword touchpoint list --org ${tenant.organizationId}.`,
  );
}

const summarize = ({ id, status, touchpoint, error, created_at }: TouchpointEvent): Row => ({
  id,
  status,
  touchpoint,
  error: error?.code ?? null,
  created: minuteOf(created_at),
});

const describe = (event: TouchpointEvent): Row => {
  const { id, status, touchpoint, reference, resolved, intro, error, created_at } = event;
  const { source, type, id: referenceId } = reference ?? {};
  return {
    id,
    status,
    touchpoint: resolved === undefined ? touchpoint : `${touchpoint} (${resolved.touchpoint.name})`,
    member: resolved?.member.id ?? null,
    intro: intro ?? null,
    error: error === undefined ? null : `${error.code}: ${error.message}`,
    reference: [source, type, referenceId].filter((part) => part != null).join(' '),
    created_at,
  };
};

export const eventCommands = [
  databaseCommand({
    path: ['event', 'list'],
    summary: 'Lists the newest touchpoint events of an organization.',
    input: Type.Object({
      org: Organization,
      status: Type.Optional(choice(STORED_EVENT_STATUSES, 'Only events with this status.')),
      touchpoint: Type.Optional(Type.String({ description: 'Only events for the touchpoint with this slug.' })),
      limit: Limit,
    }),
    example: 'foreword event list --status failed',
    async run(tx, { org, status, touchpoint, limit }) {
      const { id } = await requireOrganization(tx, org);
      const tenant = testTenant(id);
      if (touchpoint !== undefined) await requireTouchpoint(tx, tenant, touchpoint);
      return listEvents(tx, tenant, {
        limit: readLimit(limit),
        ...(status !== undefined && { status: [status] }),
        ...(touchpoint !== undefined && { touchpoint }),
      });
    },
    show: ({ data, has_more }) => showList(data, summarize, has_more),
  }),
  databaseCommand({
    path: ['event', 'show'],
    operand: 'ID',
    summary: 'Shows an event: what it was matched to, its intro, or why it failed.',
    input: Type.Object({ ID: EventId }),
    example: `foreword event show ${SAMPLE_ID}`,
    run: async (tx, { ID: id }) => retrieveEvent(tx, await requireTenant(tx, id), id),
    show: (event) => showFields(event, describe(event)),
  }),
  keyedCommand({
    path: ['event', 'retry'],
    operand: 'ID',
    summary: 'Processes a failed event again, once you have fixed the cause. Needs a running service.',
    input: Type.Object({ ID: EventId }),
    example: `foreword event retry ${SAMPLE_ID}`,
    async run({ db }, { ID: id }) {
      const tenant = await requireTenant(db.kysely, id);
      // A command has no queue. Workers scan for accepted events every few seconds.
      return orFailure(retryEvent(db.kysely, tenant, id));
    },
    show: (event) =>
      showFields(
        event,
        describe(event),
        `A running service processes it within seconds. See foreword event show ${event.id}.`,
      ),
  }),
];
