import fs from 'node:fs/promises';
import path from 'node:path';
import { CLIP_MAX_BYTES, INTRO_STATUSES, type Intro, type TimelineStep } from '@foreword/contract';
import { Type } from 'typebox';
import type { Tables, Tenant } from '../db/tenancy.ts';
import { readTimeline } from '../delivery/index.ts';
import {
  createIntroEvents,
  createIntroService,
  findIntroAcrossTenants,
  type IntroService,
  type IntroWithMember,
  presentIntro,
} from '../intros/index.ts';
import { createLinks } from '../links/index.ts';
import { findMember } from '../members/index.ts';
import { testTenant } from '../organizations/index.ts';
import { systemClock } from '../platform/clock.ts';
import type { Queryable } from '../platform/db.ts';
import { openObjects } from '../platform/objects.ts';
import { Clip } from '../platform/operations.ts';
import { builtInClip, isClosed, isOpen, receiveByCommand } from '../recordings/index.ts';
import { createTestClocks } from '../test-clock/index.ts';
import { createContentSeal, createPublish } from '../webhooks/index.ts';
import { readLinkConfig } from './address.ts';
import { choice, databaseCommand, keyedCommand, Limit, Organization, readLimit, type Shown } from './command.ts';
import { commandClock, type KeyedContext } from './connection.ts';
import { Failure, orFailure } from './failure.ts';
import { twoColumns } from './layout.ts';
import { requireOrganization } from './organizations.ts';
import { minuteOf, type Row, showFields, showList, showObject } from './print.ts';
import { openKey, openLinks } from './server-key.ts';

const IntroId = Type.String({ description: 'ID of the intro (see foreword intro list).' });
const SAMPLE_ID = 'int_01kahzv8e1f0rtx5m2q6n9d3bw';

const TYPES: Record<string, string> = {
  '.mp4': 'video/mp4',
  '.m4v': 'video/mp4',
  '.mov': 'video/quicktime',
  '.webm': 'video/webm',
  '.mkv': 'video/x-matroska',
};

async function requireIntro(tx: Queryable<Tables>, id: string): Promise<IntroWithMember> {
  const row = await findIntroAcrossTenants(tx, id);
  if (row === null) throw new Failure(`There is no intro with the id "${id}". See foreword intro list.`);
  return row;
}

async function readClip(file: string | undefined): Promise<Clip> {
  if (file === undefined) return builtInClip();
  const type = TYPES[path.extname(file).toLowerCase()];
  if (type === undefined)
    throw new Failure(`${file} is not a supported video. Supported: ${Object.keys(TYPES).join(', ')}.`);
  let size: number;
  try {
    ({ size } = await fs.stat(file));
  } catch (error) {
    throw new Failure(`Cannot read ${file}: ${(error as Error).message}`);
  }
  if (size === 0) throw new Failure(`${file} is empty.`);
  if (size > CLIP_MAX_BYTES) throw new Failure(`${file} is larger than ${CLIP_MAX_BYTES / 1_000_000} MB.`);
  return new Clip(type, await fs.readFile(file));
}

/** The use cases of the API, for an intro of any organization. */
async function openIntros({ db }: KeyedContext): Promise<IntroService> {
  const config = await readLinkConfig();
  const key = await openKey(db.kysely, config);
  const links = createLinks(key, config.publicUrl);
  const introEvents = createIntroEvents(links, createPublish(createContentSeal(key)));
  const testClocks = createTestClocks({ db, clock: commandClock });
  return createIntroService({ db, testClocks, links, introEvents });
}

async function requireTenant({ db }: KeyedContext, id: string): Promise<Tenant> {
  return testTenant((await requireIntro(db.kysely, id)).organization_id);
}

const fullName = ({ first_name: first, last_name: last }: { first_name: string; last_name: string | null }): string =>
  last === null ? first : `${first} ${last}`;

const summarize = ({ id, status, touchpoint, member, recipient, created_at }: Intro): Row => ({
  id,
  status,
  touchpoint,
  member: fullName(member),
  recipient: fullName(recipient),
  created: minuteOf(created_at),
});

function describe(intro: Intro): Row {
  const { id, status, touchpoint, member, recipient, delivery, reference, context, instructions } = intro;
  const { source, type, id: referenceId } = reference ?? {};
  return {
    id,
    status,
    touchpoint,
    member: `${fullName(member)} (${member.id})`,
    recipient: `${fullName(recipient)}, ${recipient.phone}`,
    delivery: delivery.responsibility,
    page: delivery.recipient_url,
    scheduled_for: delivery.scheduled_for,
    reason: delivery.reason,
    error: delivery.error === null ? null : `${delivery.error.code}: ${delivery.error.message}`,
    title: context?.title ?? null,
    appointment: context?.appointment?.starts_at ?? null,
    script: instructions?.script ?? null,
    reference: [source, type, referenceId].filter((part) => part != null).join(' '),
    created_at: intro.created_at,
    expires_at: intro.expires_at,
  };
}

function describeTimeline(steps: readonly TimelineStep[], columns: number): string {
  const rows = steps.map(({ at, type, cause, detail }): [string, string] => {
    const details = Object.entries(detail ?? {}).map(([name, value]) => ` ${name}=${value}`);
    return [minuteOf(at) ?? '', `${type} (${cause})${details.join('')}`];
  });
  return `Timeline:\n${twoColumns(rows, { indent: 2, columns })}`;
}

async function requireMember({ db }: KeyedContext, tenant: Tenant, id: string): Promise<void> {
  if ((await findMember(db.kysely, tenant, id)) !== null) return;
  throw new Failure(`There is no member with the id "${id}". See foreword member list --org ${tenant.organizationId}.`);
}

export const introCommands = [
  keyedCommand({
    path: ['intro', 'list'],
    summary: 'Lists the newest intros of an organization.',
    input: Type.Object({
      org: Organization,
      status: Type.Optional(choice(INTRO_STATUSES, 'Only intros with this status.')),
      member: Type.Optional(Type.String({ description: 'Only intros of the member with this ID.' })),
      limit: Limit,
    }),
    example: 'foreword intro list --status ready',
    async run(context, { org, status, member, limit }) {
      const { id } = await requireOrganization(context.db.kysely, org);
      const tenant = testTenant(id);
      if (member !== undefined) await requireMember(context, tenant, member);
      return (await openIntros(context)).list(tenant, {
        limit: readLimit(limit),
        ...(status !== undefined && { status: [status] }),
        ...(member !== undefined && { member }),
      });
    },
    show: ({ data, has_more: hasMore }) => showList(data, summarize, hasMore),
  }),
  keyedCommand({
    path: ['intro', 'show'],
    operand: 'ID',
    summary: 'Shows an intro with its timeline.',
    input: Type.Object({ ID: IntroId }),
    example: `foreword intro show ${SAMPLE_ID}`,
    async run(context, { ID: id }) {
      const tenant = await requireTenant(context, id);
      const intro = await (await openIntros(context)).retrieve(tenant, id);
      return { intro, timeline: await readTimeline(context.db, tenant, id) };
    },
    show: ({ intro, timeline: { data: timeline } }) =>
      showFields({ ...intro, timeline }, describe(intro), (columns) => describeTimeline(timeline, columns)),
  }),
  keyedCommand({
    path: ['intro', 'cancel'],
    operand: 'ID',
    summary: 'Cancels an intro that is not sent yet. Its links stop working. Otherwise, nothing changes.',
    input: Type.Object({ ID: IntroId }),
    example: `foreword intro cancel ${SAMPLE_ID}`,
    async run(context, { ID: id }) {
      const tenant = await requireTenant(context, id);
      const intros = await openIntros(context);
      await orFailure(intros.cancel({ ...tenant, keyId: null }, context.key, id, undefined));
      return intros.retrieve(tenant, id);
    },
    show: (intro) => showFields(intro, describe(intro)),
  }),
  keyedCommand({
    path: ['intro', 'take-down'],
    operand: 'ID',
    summary: 'Takes down the page of a sent intro. Its link shows a card of the organization. This cannot be undone.',
    input: Type.Object({ ID: IntroId }),
    example: `foreword intro take-down ${SAMPLE_ID}`,
    async run(context, { ID: id }) {
      const tenant = await requireTenant(context, id);
      const intros = await openIntros(context);
      await orFailure(intros.takeDown({ ...tenant, keyId: null }, context.key, id, undefined));
      return intros.retrieve(tenant, id);
    },
    show: (intro) => showFields(intro, describe(intro)),
  }),
  databaseCommand({
    path: ['intro', 'link'],
    operand: 'ID',
    summary: "Shows the member's recording link. It needs no sign-in: anyone who has it can record.",
    input: Type.Object({ ID: IntroId }),
    example: `foreword intro link ${SAMPLE_ID}`,
    async run(tx, { ID: id }): Promise<Shown> {
      const row = await requireIntro(tx, id);
      if (isClosed(row.status)) throw new Failure(`This intro is ${row.status}, so its links no longer work.`);
      const links = await openLinks(tx, await readLinkConfig());
      const { organization_id: organizationId, link_generation: generation } = row;
      await links.activateRecord(tx, [{ tenant: testTenant(organizationId), introId: id, generation }]);
      return { id, object: 'intro_link', url: links.recordUrl(id, generation) };
    },
    show: (link) => showObject(link),
  }),
  databaseCommand({
    path: ['intro', 'record'],
    operand: 'ID',
    optionalOperand: 'FILE',
    summary:
      'Records an intro on behalf of its member, with a built-in clip or your own video. Needs a running service to process it.',
    input: Type.Object({
      ID: IntroId,
      FILE: Type.Optional(Type.String({ description: 'A video of at most 60 seconds. Default: a built-in clip.' })),
    }),
    example: `foreword intro record ${SAMPLE_ID}`,
    async run(tx, { ID: id, FILE: file }) {
      const config = await readLinkConfig();
      const row = await requireIntro(tx, id);
      if (!isOpen(row.status)) throw new Failure(`This intro is ${row.status} and can't be recorded.`);
      const links = await openLinks(tx, config);
      const objects = openObjects(config.objectsUrl, { clock: systemClock, credentials: config.objectsCredentials });
      const clip = await readClip(file);
      await receiveByCommand(tx, objects, {
        tenant: testTenant(row.organization_id),
        introId: id,
        clip,
        now: commandClock(),
      });
      return presentIntro(row, links.pageUrl);
    },
    show: (intro) => ({
      json: intro,
      text: `Recording uploaded for ${intro.id}. It is ready a few seconds later if the service is running.`,
    }),
  }),
];
