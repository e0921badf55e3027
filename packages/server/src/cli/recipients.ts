import fs from 'node:fs/promises';
import { type ConsentImport, ERASED_KINDS, Phone, type RecipientErasure } from '@foreword/contract';
import { Type } from 'typebox';
import { importOptOuts, optInRecipient, optOutRecipient } from '../delivery/index.ts';
import { eraseRecipient, findErasureTenant, retrieveErasure } from '../erasure/index.ts';
import { testTenant } from '../organizations/index.ts';
import { countryOfTimezone } from '../platform/countries.ts';
import { databaseCommand, Organization } from './command.ts';
import { Failure, orFailure } from './failure.ts';
import { requireOrganization } from './organizations.ts';
import { openParts } from './parts.ts';
import { minuteOf, type Row, showFields } from './print.ts';

const ConsentInput = Type.Object({
  org: Organization,
  PHONE: Phone,
  reason: Type.Optional(Type.String({ maxLength: 500, description: 'Who asked for it, and how.' })),
});

/** An opt-out or an opt-in. */
interface Changed {
  readonly object: string;
  readonly phone: string;
  readonly opted_out_at?: string;
}

/** One number. */
const consentCommand = (action: 'opt-out' | 'opt-in', summary: string) =>
  databaseCommand({
    path: ['recipient', action],
    operand: 'PHONE',
    summary,
    input: ConsentInput,
    example: `foreword recipient ${action} +14155550123 --reason "Dana, on the phone"`,
    async run(tx, { org, PHONE: phone, reason }) {
      const recorder = { ...testTenant((await requireOrganization(tx, org)).id), by: null };
      const parts = await openParts(tx);
      const change = action === 'opt-out' ? optOutRecipient : optInRecipient;
      const body = { phone, ...(reason && { reason }) };
      return orFailure<Changed>(change(parts, tx, recorder, body, await parts.now(recorder)));
    },
    show: (changed) => showFields(changed, { phone: changed.phone, opted_out: minuteOf(changed.opted_out_at ?? null) }),
  });

const describe = ({
  id,
  status,
  removed,
  opt_out_kept: kept,
  created_at: at,
  completed_at,
}: RecipientErasure): Row => ({
  id,
  status,
  ...Object.fromEntries(ERASED_KINDS.map((kind) => [kind, removed[kind]])),
  opt_out_kept: kept,
  created: minuteOf(at),
  completed: minuteOf(completed_at),
});

export const recipientCommands = [
  consentCommand('opt-out', 'Stops texts to a recipient who asked for that.'),
  consentCommand(
    'opt-in',
    'Allows texts to a recipient again who asked for them. After an opt-out by text, only they can.',
  ),
  databaseCommand({
    path: ['recipient', 'import-opt-outs'],
    operand: 'FILE',
    summary: 'Stops texts to every number of a CSV file, with a column "phone" and perhaps "reason".',
    input: Type.Object({ org: Organization, FILE: Type.String({ description: 'The CSV file.' }) }),
    example: 'foreword recipient import-opt-outs opt-outs.csv',
    async run(tx, { org, FILE: file }): Promise<ConsentImport & { readonly object: string }> {
      const text = await fs.readFile(file, 'utf8').catch((error: Error) => {
        throw new Failure(`Cannot read ${file}: ${error.message}.`);
      });
      const { id, timezone } = await requireOrganization(tx, org);
      const tenant = testTenant(id);
      const { consents, now } = await openParts(tx);
      const input = { tenant, country: countryOfTimezone(timezone), text };
      const imported = await orFailure(importOptOuts({ consents }, tx, input, await now(tenant)));
      return { object: 'opt_out_import', ...imported };
    },
    show: (result) => ({
      json: result,
      text: `${result.added} opted out, ${result.already} had already opted out.`,
      ...(result.problems.length > 0 && {
        complaint: `No phone number in ${result.problems.map(({ line }) => `line ${line}`).join(', ')}.`,
      }),
    }),
  }),
  databaseCommand({
    path: ['recipient', 'erase'],
    summary:
      'Removes everything that identifies a recipient. A running service finishes it within a minute. This cannot be undone.',
    input: Type.Object({ org: Organization, phone: Phone }),
    example: 'foreword recipient erase --phone +14155550123',
    async run(tx, { org, phone }): Promise<RecipientErasure> {
      const tenant = testTenant((await requireOrganization(tx, org)).id);
      const parts = await openParts(tx);
      return orFailure(eraseRecipient(parts, tx, tenant, { phone, by: null }, await parts.now(tenant)));
    },
    show: (erasure) => showFields(erasure, describe(erasure)),
  }),
  databaseCommand({
    path: ['recipient', 'erasure'],
    operand: 'ID',
    summary: 'Shows the receipt of an erasure: what was removed, and whether it is complete.',
    input: Type.Object({ ID: Type.String({ description: 'ID of the erasure, from foreword recipient erase.' }) }),
    example: 'foreword recipient erasure ers_01kahzv8e1f0rtx5m2q6n9d3bw',
    async run(tx, { ID: id }) {
      const tenant = await findErasureTenant(tx, id);
      if (tenant === null) throw new Failure(`There is no erasure with the id "${id}".`);
      return retrieveErasure(tx, tenant, id);
    },
    show: (erasure) => showFields(erasure, describe(erasure)),
  }),
];
