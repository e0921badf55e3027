import fs from 'node:fs/promises';
import type { ConsentImport } from '@foreword/contract';
import { Type } from 'typebox';
import { importOptOuts } from '../delivery/index.ts';
import { testTenant } from '../organizations/index.ts';
import { countryOfTimezone } from '../platform/countries.ts';
import { longCommand, Organization } from './command.ts';
import { Failure, orFailure } from './failure.ts';
import { deriveCommand, openOperations } from './operations.ts';
import { requireOrganization } from './organizations.ts';

export const recipientCommands = [
  deriveCommand('recipient opt-out', 'optOutRecipient', {
    operand: 'phone',
    summary: 'Stops texts to a recipient who asked for that.',
    example: '+14155550123 --reason "Dana, on the phone"',
  }),
  deriveCommand('recipient opt-in', 'optInRecipient', {
    operand: 'phone',
    summary: 'Allows texts to a recipient again who asked for them. After an opt-out by text, only they can.',
    example: '+14155550123 --reason "Dana, on the phone"',
  }),
  longCommand({
    path: ['recipient', 'import-opt-outs'],
    operand: 'FILE',
    summary: 'Stops texts to every number of a CSV file, with a column "phone" and perhaps "reason".',
    input: Type.Object({ org: Organization, FILE: Type.String({ description: 'The CSV file.' }) }),
    example: 'foreword recipient import-opt-outs opt-outs.csv',
    async run(db, { org, FILE: file }): Promise<ConsentImport & { readonly object: string }> {
      const text = await fs.readFile(file, 'utf8').catch((error: Error) => {
        throw new Failure(`Cannot read ${file}: ${error.message}.`);
      });
      const { id, timezone } = await requireOrganization(db.kysely, org);
      const tenant = testTenant(id);
      const { consents, testClocks } = await openOperations(db);
      const input = { tenant, country: countryOfTimezone(timezone), text };
      const work = db.kysely
        .transaction()
        .execute(async (tx) => importOptOuts({ consents }, tx, input, await testClocks.nowWithin(tx, tenant)));
      return { object: 'opt_out_import', ...(await orFailure(work)) };
    },
    show: (result) => ({
      json: result,
      text: `${result.added} opted out, ${result.already} had already opted out.`,
      ...(result.problems.length > 0 && {
        complaint: `No phone number in ${result.problems.map(({ line }) => `line ${line}`).join(', ')}.`,
      }),
    }),
  }),
  deriveCommand('recipient erase', 'eraseRecipient', {
    summary:
      'Removes everything that identifies a recipient. A running service finishes it within a minute. This cannot be undone.',
    example: '--phone +14155550123',
  }),
  deriveCommand('recipient erasure', 'retrieveErasure', {
    of: 'ers',
    summary: 'Shows the receipt of an erasure: what was removed, and whether it is complete.',
  }),
];
