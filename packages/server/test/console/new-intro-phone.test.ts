import type { ConsoleBody } from '@foreword/contract';
import { expect, test } from 'vitest';
import { forFile, openService } from '../harness/index.ts';
import { openConsole } from './console-client.ts';

let keys = 0;

const fixture = await forFile(openService());
const { organization, service, environment } = fixture;
const ana = await openConsole({ url: service.url, environment }, { org: organization.id, email: 'ana@acme.example' });

const start = (phone: string): ConsoleBody<'POST /home/intros'> => ({
  key: `test-key-of-a-page-${++keys}`,
  occurred_at: '2026-11-21T12:00:00.000Z',
  touchpoint: 'project_kickoff',
  recipient: { first_name: 'Nat', phone },
});

test('a new intro takes phone numbers in the format of the organization’s country, and refuses others with an example', async () => {
  expect((await ana.call('GET /home/touchpoints')).body.phone_example).toBe('(201) 555-0123');
  const begin = (phone: string) => ana.call('POST /home/intros', { body: start(phone) });
  const stored = async () =>
    (
      await fixture.database.query<{ phone: string }>(
        `select request -> 'recipient' ->> 'phone' as phone from touchpoint_events
         where organization_id = $1 and request -> 'recipient' ->> 'first_name' = 'Nat' order by id`,
        [fixture.organization.id],
      )
    ).map(({ phone }) => phone);
  for (const phone of ['555 0177', '415 555 017', 'call me', '(415) 555-0177 or 0178', '+1']) {
    const { status, error } = await begin(phone);
    expect([status, error.field], phone).toEqual([422, 'recipient.phone']);
    expect(error.message, phone).toContain('such as (201) 555-0123');
  }
  expect(await stored()).toEqual([]);
  for (const phone of ['415 555 0177', '1 (415) 555-0178', '+1 415-555-0179', '+447400123456']) {
    expect((await begin(phone)).status, phone).toBe(200);
  }
  expect((await stored()).sort()).toEqual(['+14155550177', '+14155550178', '+14155550179', '+447400123456']);
});
