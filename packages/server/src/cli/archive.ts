import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { Phone, Type } from '@foreword/contract';
import { readConfig } from '../app/config/index.ts';
import type { Database } from '../db/tenancy.ts';
import { createLinks } from '../intros/links/index.ts';
import { version } from '../platform/process.ts';
import { exportToFile, importArchive, TransferError } from '../privacy/archive/index.ts';
import { recordChange } from '../privacy/audit/index.ts';
import { TrueOrFalse } from './command.ts';
import { openKey, openStore } from './connection.ts';
import { longCommand, longOrganizationCommand } from './database-command.ts';
import { Failure, megabytes, withProgress } from './terminal.ts';

const NAME_HASH_LENGTH = 8;

/** In a folder. The name of a recipient's archive does not reveal the number. */
function nameFor(organizationId: string, phone: string | undefined): string {
  if (phone === undefined) return `foreword-${organizationId}.tar`;
  const hash = createHash('sha256').update(`${organizationId} ${phone}`).digest('hex').slice(0, NAME_HASH_LENGTH);
  return `foreword-recipient-${hash}.tar`;
}

function locate(to: string, organizationId: string, phone: string | undefined): string {
  const target = path.resolve(to);
  const isFolder = fs.statSync(target, { throwIfNoEntry: false })?.isDirectory() === true;
  return isFolder ? path.join(target, nameFor(organizationId, phone)) : target;
}

const orTransferFailure = (error: unknown): never => {
  throw error instanceof TransferError ? new Failure(error.message) : error;
};

async function openParts(db: Database) {
  const config = readConfig();
  const serverKey = await openKey(db.kysely, config);
  return {
    db,
    objects: openStore(config),
    serverKey,
    links: createLinks(serverKey, config.publicUrl),
    version: version(),
  };
}

function describeMissing({ length }: readonly string[]) {
  if (length === 0) return {};
  const files = length === 1 ? '1 file was' : `${length} files were`;
  return { complaint: `${files} deleted before the export reached ${length === 1 ? 'it' : 'them'}.` };
}

export const archiveCommands = [
  longOrganizationCommand({
    name: 'export',
    summary: 'Write everything about one organization, or one of its recipients, to an archive.',
    input: {
      phone: Type.Optional({ ...Phone, description: 'Only the recipient with this number.' }),
      to: Type.String({ minLength: 1, description: 'The file to write, or a folder for it.' }),
    },
    example: '--to /var/backups/foreword',
    async run({ db, tenant }, { phone, to }) {
      const id = tenant.organizationId;
      const file = locate(to, id, phone);
      const parts = await openParts(db);
      // Recorded first: an export that breaks off has already revealed something.
      const object = phone === undefined ? 'organization' : 'recipient';
      await recordChange(db.kysely, tenant, { action: 'export.created', object });
      const scope = { tenant, phone: phone ?? null };
      const written = await withProgress('Exporting', (update) => exportToFile(parts, scope, file, update)).catch(
        orTransferFailure,
      );
      return { id, file, ...written };
    },
    show: ({ id, file, header, rows, objects, bytes, missing }) => ({
      json: {
        ...{ id, object: 'export', file, kind: header.kind, created_at: header.created_at, rows, objects, bytes },
        missing_objects: missing,
      },
      text: `Wrote ${file} (${megabytes(bytes)}) with ${rows} rows and ${objects} files. It contains personal data: keep it safe.`,
      ...describeMissing(missing),
    }),
  }),
  longCommand({
    name: 'import',
    operands: ['FILE'],
    summary: 'Import the archive of an organization, with its ids. Nothing that was pending is sent; webhooks are off.',
    input: {
      file: Type.String({ minLength: 1, description: 'The archive.' }),
      new_links: TrueOrFalse(
        'Accept an archive of another SERVER_KEY: links that were sent stop working, and webhooks get new secrets. Default: false.',
      ),
    },
    example: 'foreword-org_01h2xcejqtf2nbrexx3vqjhp41.tar',
    async run({ db }, { file, new_links: withNewLinks = false }) {
      const parts = await openParts(db);
      const target = path.resolve(file);
      const options = { file: target, withNewLinks, allowPrivate: readConfig().webhooksAllowPrivate };
      const imported = await withProgress('Checking', (onProgress) =>
        importArchive(parts, { ...options, onProgress }),
      ).catch(orTransferFailure);
      return { file: target, ...imported };
    },
    show: ({ file, header: { organization, created_at }, rows, objects, missing, keepsLinks }) => ({
      json: {
        ...{ id: organization.id, object: 'import', file, name: organization.name, created_at, rows, objects },
        ...{ missing_objects: missing, keeps_links: keepsLinks },
      },
      text: `Imported ${organization.name} (${organization.id}) as of ${created_at}, with ${rows} rows and ${objects} files. Its webhooks are off until an owner turns them on.`,
      ...describeMissing(missing),
    }),
  }),
];
