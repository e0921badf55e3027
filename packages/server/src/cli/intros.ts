import fs from 'node:fs/promises';
import path from 'node:path';
import { CLIP_MAX_BYTES } from '@foreword/contract';
import { Type } from 'typebox';
import type { Tables } from '../db/tenancy.ts';
import { Clip } from '../http/index.ts';
import { findIntroAcrossTenants, type IntroWithMember, presentIntro } from '../intros/index.ts';
import { testTenant } from '../organizations/index.ts';
import { systemClock } from '../platform/clock.ts';
import type { Queryable } from '../platform/db.ts';
import { openObjects } from '../platform/objects.ts';
import { builtInClip, isClosed, isOpen, receiveByCommand } from '../recordings/index.ts';
import { readLinkConfig } from './address.ts';
import { databaseCommand, type Shown } from './command.ts';
import { commandClock } from './connection.ts';
import { Failure } from './failure.ts';
import { deriveCommand } from './operations.ts';
import { showObject } from './print.ts';
import { openLinks } from './server-key.ts';

const IntroId = Type.String({ description: 'ID of the intro (see foreword intro list).' });
const SAMPLE_ID = 'int_01kahzv8e1f0rtx5m2q6n9d3bw';

const TYPES: Record<string, string> = {
  '.mp4': 'video/mp4',
  '.m4v': 'video/mp4',
  '.mov': 'video/quicktime',
  '.webm': 'video/webm',
  '.mkv': 'video/x-matroska',
};

async function findAnyIntro(tx: Queryable<Tables>, id: string): Promise<IntroWithMember> {
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

export const introCommands = [
  deriveCommand('intro list', 'listIntros', {
    summary: 'Lists the newest intros of an organization.',
    example: '--status ready',
    columns: ['id', 'status', 'touchpoint', 'member', 'recipient', 'created_at'],
  }),
  deriveCommand('intro show', 'retrieveIntro', {
    of: 'int',
    with: { timeline: 'retrieveTimeline' },
    summary: 'Shows an intro with its timeline.',
  }),
  deriveCommand('intro cancel', 'cancelIntro', {
    of: 'int',
    summary: 'Cancels an intro that is not sent yet. Its links stop working. Otherwise, nothing changes.',
  }),
  deriveCommand('intro take-down', 'takeDownIntro', {
    of: 'int',
    summary: 'Takes down the page of a sent intro. Its link shows a card of the organization. This cannot be undone.',
  }),
  databaseCommand({
    path: ['intro', 'link'],
    operand: 'ID',
    summary: "Shows the member's recording link. It needs no sign-in: anyone who has it can record.",
    input: Type.Object({ ID: IntroId }),
    example: `foreword intro link ${SAMPLE_ID}`,
    async run(tx, { ID: id }): Promise<Shown> {
      const row = await findAnyIntro(tx, id);
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
      const row = await findAnyIntro(tx, id);
      if (!isOpen(row.status)) throw new Failure(`This intro is ${row.status} and can't be recorded.`);
      const links = await openLinks(tx, config);
      const objects = openObjects(config.objectsUrl, { clock: systemClock });
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
