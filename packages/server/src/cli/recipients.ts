import fs from 'node:fs/promises';
import { type ConsentImport, ERASED_KINDS, type OptOut, Phone, type RecipientErasure } from '@foreword/contract';
import { Type } from 'typebox';
import {
  createConsents,
  createErasedOptOuts,
  createEventPublisher,
  createRecipientConsents,
  importOptOuts,
} from '../delivery/index.ts';
import { createErasures, type Erasures, findErasureTenant, retrieveErasure } from '../erasure/index.ts';
import { createIntroEvents } from '../intros/index.ts';
import { createLinks } from '../links/index.ts';
import { testTenant } from '../organizations/index.ts';
import { countryOfTimezone } from '../platform/countries.ts';
import { createTestClocks } from '../test-clock/index.ts';
import { createContentSeal, createPublish } from '../webhooks/index.ts';
import { readLinkConfig } from './address.ts';
import { databaseCommand, keyedCommand, Organization } from './command.ts';
import { commandClock, type KeyedContext } from './connection.ts';
import { Failure, orFailure } from './failure.ts';
import { requireOrganization } from './organizations.ts';
import { minuteOf, type Row, showFields } from './print.ts';
import { openKey } from './server-key.ts';

async function openParts({ db }: KeyedContext) {
  const config = await readLinkConfig();
  const serverKey = await openKey(db.kysely, config);
  const introEvents = createIntroEvents(
    createLinks(serverKey, config.publicUrl),
    createPublish(createContentSeal(serverKey)),
  );
  const testClocks = createTestClocks({ db, clock: commandClock });
  return { db, testClocks, serverKey, introEvents, erasedOptOuts: createErasedOptOuts(serverKey) };
}

/** The use cases of the API. */
const openErasures = async (context: KeyedContext): Promise<Erasures> => createErasures(await openParts(context));

async function openConsents(context: KeyedContext) {
  const parts = await openParts(context);
  const consents = createConsents({ publish: createEventPublisher(parts.introEvents), ...parts });
  return { ...parts, consents, recipients: createRecipientConsents({ ...parts, consents }) };
}

const ConsentInput = Type.Object({
  org: Organization,
  PHONE: Phone,
  reason: Type.Optional(Type.String({ maxLength: 500, description: 'Who asked for it, and how.' })),
});

/** One number. */
const consentCommand = (action: 'opt-out' | 'opt-in', summary: string) =>
  keyedCommand({
    path: ['recipient', action],
    operand: 'PHONE',
    summary,
    input: ConsentInput,
    example: `foreword recipient ${action} +14155550123 --reason "Dana, on the phone"`,
    async run(context, { org, PHONE: phone, reason }) {
      const tenant = testTenant((await requireOrganization(context.db.kysely, org)).id);
      const { recipients } = await openConsents(context);
      const change = action === 'opt-out' ? recipients.optOut : recipients.optIn;
      const { body } = await orFailure(
        change({ ...tenant, source: 'operator' }, context.key, { phone, ...(reason && { reason }) }),
      );
      return body as OptOut;
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
  keyedCommand({
    path: ['recipient', 'import-opt-outs'],
    operand: 'FILE',
    summary: 'Stops texts to every number of a CSV file, with a column "phone" and perhaps "reason".',
    input: Type.Object({ org: Organization, FILE: Type.String({ description: 'The CSV file.' }) }),
    example: 'foreword recipient import-opt-outs opt-outs.csv',
    async run(context, { org, FILE: file }): Promise<ConsentImport & { readonly object: string }> {
      const text = await fs.readFile(file, 'utf8').catch((error: Error) => {
        throw new Failure(`Cannot read ${file}: ${error.message}.`);
      });
      const { id, timezone } = await requireOrganization(context.db.kysely, org);
      const tenant = testTenant(id);
      const { consents, testClocks } = await openConsents(context);
      const input = { tenant, country: countryOfTimezone(timezone), text };
      const work = context.db.kysely
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
  keyedCommand({
    path: ['recipient', 'erase'],
    summary:
      'Removes everything that identifies a recipient. A running service finishes it within a minute. This cannot be undone.',
    input: Type.Object({ org: Organization, phone: Phone }),
    example: 'foreword recipient erase --phone +14155550123',
    async run(context, { org, phone }): Promise<RecipientErasure> {
      const tenant = testTenant((await requireOrganization(context.db.kysely, org)).id);
      const erasures = await openErasures(context);
      const { body } = await orFailure(erasures.erase({ ...tenant, by: null }, context.key, { phone }));
      return JSON.parse(String(body)) as RecipientErasure;
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
