import { ERASED_KINDS, Phone, type RecipientErasure } from '@foreword/contract';
import { Type } from 'typebox';
import { createErasedOptOuts } from '../delivery/index.ts';
import { createErasures, type Erasures, findErasureTenant, retrieveErasure } from '../erasure/index.ts';
import { createIntroEvents } from '../intros/index.ts';
import { createLinks } from '../links/index.ts';
import { testTenant } from '../organizations/index.ts';
import { createTestClocks } from '../test-clock/index.ts';
import { createContentSeal, createPublish } from '../webhooks/index.ts';
import { readLinkConfig } from './address.ts';
import { databaseCommand, keyedCommand, Organization } from './command.ts';
import { commandClock, type KeyedContext } from './connection.ts';
import { Failure, orFailure } from './failure.ts';
import { requireOrganization } from './organizations.ts';
import { minuteOf, type Row, showFields } from './print.ts';
import { openKey } from './server-key.ts';

/** The use cases of the API. */
async function openErasures({ db }: KeyedContext): Promise<Erasures> {
  const config = await readLinkConfig();
  const serverKey = await openKey(db.kysely, config);
  const introEvents = createIntroEvents(
    createLinks(serverKey, config.publicUrl),
    createPublish(createContentSeal(serverKey)),
  );
  const testClocks = createTestClocks({ db, clock: commandClock });
  return createErasures({ db, testClocks, serverKey, introEvents, erasedOptOuts: createErasedOptOuts(serverKey) });
}

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
