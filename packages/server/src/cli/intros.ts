import fs from 'node:fs/promises';
import path from 'node:path';
import { CLIP_MAX_BYTES } from '@foreword/contract';
import type { Transaction } from 'kysely';
import { Type } from 'typebox';
import { type Config, readConfig } from '../config.ts';
import { findIntroAcrossTenants, type IntroWithMember, presentIntro } from '../intros/index.ts';
import { createLinks, type Links } from '../links/index.ts';
import { testTenant } from '../organizations/index.ts';
import { systemClock } from '../platform/clock.ts';
import { openObjects } from '../platform/objects.ts';
import { Clip } from '../platform/operations.ts';
import { openServerKey, requireSameKey } from '../platform/server-key.ts';
import { builtInClip, isClosed, isOpen, receiveByCommand } from '../recordings/index.ts';
import type { Tables } from '../tables.ts';
import { databaseCommand, type Shown } from './command.ts';
import { Failure } from './failure.ts';
import { showObject } from './print.ts';

const IntroId = Type.String({ description: 'ID of the intro (see GET /v1/intros).' });

const TYPES: Record<string, string> = {
  '.mp4': 'video/mp4',
  '.m4v': 'video/mp4',
  '.mov': 'video/quicktime',
  '.webm': 'video/webm',
  '.mkv': 'video/x-matroska',
};

async function requireIntro(tx: Transaction<Tables>, id: string): Promise<IntroWithMember> {
  const row = await findIntroAcrossTenants(tx, id);
  if (row === null)
    throw new Failure(`There is no intro with the id "${id}". GET /v1/intros and the console list them.`);
  return row;
}

/** Creates the same links as the service. Fails if this server key differs from the service's. */
async function openLinks(tx: Transaction<Tables>, config: Config): Promise<Links> {
  const key = openServerKey({ dataDir: config.dataDir, given: config.serverKey });
  await requireSameKey(tx, key);
  return createLinks(key, config.publicUrl);
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
  databaseCommand({
    path: ['intro', 'link'],
    operand: 'ID',
    summary: "Shows the member's recording link. It needs no sign-in: anyone who has it can record.",
    input: Type.Object({ ID: IntroId }),
    example: 'foreword intro link int_01kahzv8e1f0rtx5m2q6n9d3bw',
    async run(tx, { ID: id }): Promise<Shown> {
      const row = await requireIntro(tx, id);
      if (isClosed(row.status)) throw new Failure(`This intro is ${row.status}, so its links no longer work.`);
      const links = await openLinks(tx, readConfig());
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
    example: 'foreword intro record int_01kahzv8e1f0rtx5m2q6n9d3bw',
    async run(tx, { ID: id, FILE: file }) {
      const config = readConfig();
      const row = await requireIntro(tx, id);
      if (!isOpen(row.status)) throw new Failure(`This intro is ${row.status} and can't be recorded.`);
      const links = await openLinks(tx, config);
      const objects = openObjects(config.objectsUrl, { clock: systemClock, credentials: config.objectsCredentials });
      const clip = await readClip(file);
      await receiveByCommand(tx, objects, {
        tenant: testTenant(row.organization_id),
        introId: id,
        clip,
        now: systemClock(),
      });
      return presentIntro(row, links.pageUrl);
    },
    show: (intro) => ({
      json: intro,
      text: `Recording uploaded for ${intro.id}. It is ready a few seconds later if the service is running.`,
    }),
  }),
];
