import fs from 'node:fs/promises';
import path from 'node:path';
import { CLIP_MAX_BYTES } from '@foreword/contract';
import { Clip } from '../http/index.ts';
import { presentIntro, requireIntro } from '../intros/index.ts';
import { builtInClip, isClosed, isOpen, receiveByCommand } from '../recordings/index.ts';
import { Option } from './command.ts';
import { openLinks, openStore, readLinkConfig } from './connection.ts';
import { organizationCommand } from './database-command.ts';
import { deriveCommand } from './operations.ts';
import { Failure } from './terminal.ts';

const TYPES: Record<string, string> = {
  '.mp4': 'video/mp4',
  '.m4v': 'video/mp4',
  '.mov': 'video/quicktime',
  '.webm': 'video/webm',
  '.mkv': 'video/x-matroska',
};

async function readClip(file: string | undefined): Promise<Clip> {
  if (file === undefined) return builtInClip();
  const type = TYPES[path.extname(file).toLowerCase()];
  if (type === undefined)
    throw new Failure(`${file} is not a supported video. Supported: ${Object.keys(TYPES).join(', ')}.`);
  const { size } = await fs.stat(file).catch((error: Error) => {
    throw new Failure(`Cannot read ${file}: ${error.message}`);
  });
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
    with: { timeline: 'retrieveTimeline' },
    summary: 'Shows an intro with its timeline.',
  }),
  deriveCommand('intro cancel', 'cancelIntro', {
    summary: 'Cancels an intro that is not sent yet. Its links stop working. Otherwise, nothing changes.',
  }),
  deriveCommand('intro take-down', 'takeDownIntro', {
    summary: 'Takes down the page of a sent intro. Its link shows a card of the organization. This cannot be undone.',
  }),
  organizationCommand({
    name: 'intro link',
    of: 'int',
    summary: "Shows the member's recording link. It needs no sign-in: anyone who has it can record.",
    input: {},
    async run({ tx, tenant, id }) {
      const { status, link_generation: generation } = await requireIntro(tx, tenant, id);
      if (isClosed(status)) throw new Failure(`This intro is ${status}, so its links no longer work.`);
      const links = await openLinks(tx, await readLinkConfig());
      await links.activateRecord(tx, [{ tenant, introId: id, generation }]);
      return { id, object: 'intro_link', url: links.recordUrl(id, generation) };
    },
  }),
  organizationCommand({
    name: 'intro record',
    of: 'int',
    operands: ['FILE'],
    summary:
      'Records an intro on behalf of its member, with a built-in clip or your own video. Needs a running service to process it.',
    input: {
      file: Option('A video of at most 60 seconds. Default: a built-in clip.'),
    },
    async run({ tx, tenant, id, now }, { file }) {
      const config = await readLinkConfig();
      const row = await requireIntro(tx, tenant, id);
      if (!isOpen(row.status)) throw new Failure(`This intro is ${row.status} and can't be recorded.`);
      const links = await openLinks(tx, config);
      const clip = await readClip(file);
      await receiveByCommand(tx, openStore(config), { tenant, introId: id, clip, now });
      return presentIntro(row, links.pageUrl);
    },
    show: (intro) => ({
      json: intro,
      text: `Recording uploaded for ${intro.id}. It is ready a few seconds later if the service is running.`,
    }),
  }),
];
