import { expect, test } from 'vitest';
import { notifyOfReply } from '../../src/delivery/index.ts';
import { type NewReply, storeReply } from '../../src/intros/index.ts';
import type { Tenant } from '../../src/tables.ts';
import { forFile } from '../harness/index.ts';
import { openWithProviders } from './with-providers.ts';

const fixture = await forFile(openWithProviders('2026-03-05T16:00:00Z'));

const QUESTION = { type: 'question', message: 'Do you need\naccess to the attic?' } as const;

/** Arrange: a recorded intro whose recipient replied. */
async function reply(given: NewReply): Promise<string> {
  const id = await fixture.createIntro({});
  await fixture.tick();
  await fixture.record(id);
  await fixture.tick();
  const { organization_id: organizationId } = await fixture.intro(id);
  const tenant: Tenant = { organizationId: String(organizationId), environment: 'test' };
  await fixture.db.kysely.transaction().execute(async (tx) => {
    const introEvents = { publish: async () => undefined } as never;
    const number = await storeReply({ introEvents }, tx, { tenant, introId: id }, given, fixture.now());
    if (typeof number !== 'number') throw new Error(`not stored: ${number}`);
    await notifyOfReply(tx, tenant, { introId: id, number }, fixture.now());
  });
  return id;
}

const notificationOf = async (id: string) => (await fixture.messages(id)).filter(({ purpose }) => purpose === 'reply');

test('the member gets a text with the reply and the number of the recipient, once', async () => {
  const id = await reply({ type: 'confirm', message: null });
  await fixture.tick();
  await fixture.tick();
  const [text, ...others] = await notificationOf(id);
  expect(others).toEqual([]);
  expect(text).toMatchObject({ status: 'accepted', channel: 'text', address: '+13125550117' });
  expect(text?.body).toMatch(
    /^Acme Roofing: Dana Reyes replied to your video: "See you then"\. Their number: \+\d+\.$/,
  );
});

test('a question is part of the text, on one line', async () => {
  const id = await reply(QUESTION);
  await fixture.tick();
  const [text] = await notificationOf(id);
  expect(text?.body).toContain('"I have a question": "Do you need access to the attic?"');
});

test('a notification that a node of the previous version dropped is sent, once', async () => {
  const id = await reply(QUESTION);
  await fixture.database.query(
    `update messages set status = 'dropped', error_code = 'intro_ready', settled_at = now()
     where intro_id = $1 and purpose = 'reply'`,
    [id],
  );
  await fixture.tick();
  await fixture.tick();
  expect((await notificationOf(id)).map(({ status }) => status)).toEqual(['accepted']);
});
