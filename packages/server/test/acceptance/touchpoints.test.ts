import { describe, expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import { APPOINTMENT, expectError, introOfEvent } from './support/actions.ts';
import { openService } from './support/service.ts';

const fixture = await forFile(openService());

interface Touchpoint {
  id: string;
  slug: string;
  name: string;
  context: string;
  active: boolean;
}

async function read(api = fixture.api): Promise<Touchpoint[]> {
  const { status, body } = await api.get('/v1/touchpoints');
  expect(status).toBe(200);
  expect(body).toMatchObject({ object: 'list', has_more: false });
  return body.data;
}

const slugs = (touchpoints: Touchpoint[]) => touchpoints.map(({ slug }) => slug);

test('an organization starts with the touchpoints of its industry and lanes, which are active', async () => {
  const retail = await fixture.newOrganization({ lanes: ['retail'] });
  const found = await read(retail.api);
  expect(slugs(found)).toEqual(expect.arrayContaining(['new_appointment', 'on_my_way']));
  expect(slugs(found)).not.toContain('claim_update');
  expect(found.filter(({ active }) => !active)).toEqual([]);
  const realEstate = await fixture.newOrganization({ industry: 'real_estate' });
  for (const { slug, context } of await read(realEstate.api)) {
    const needed = context === 'appointment' ? { context: { appointment: APPOINTMENT } } : {};
    expect((await introOfEvent(realEstate.api, { touchpoint: slug, ...needed })).touchpoint).toBe(slug);
  }
});

describe('GET /v1/touchpoints', () => {
  test('returns id, object, slug, name, context, active and languages', async () => {
    const [first] = await read();
    expect(first).toEqual({
      id: expect.stringMatching(/^tp_/),
      object: 'touchpoint',
      slug: expect.stringMatching(/^[a-z0-9_]{1,64}$/),
      name: expect.any(String),
      context: expect.any(String),
      active: true,
      languages: ['en', 'es'],
    });
  });

  test('accepts no parameters, because the list is not paginated', async () => {
    for (const parameter of ['limit=1', 'starting_after=x', 'active=true']) {
      const [name] = parameter.split('=');
      expectError(await fixture.api.get(`/v1/touchpoints?${parameter}`), 422, 'validation_failed', name);
    }
  });

  test("keeps the organization's order when touchpoints are renamed or turned off", async () => {
    const order = slugs(await read());
    expect(slugs(await read())).toEqual(order);
    const { id } = fixture.organization;
    await fixture.run('touchpoint', 'set', '--org', id, order.at(-1) ?? '', '--name', 'A', '--active', 'false');
    expect(slugs(await read())).toEqual(order);
    // Arrange: only the console can change the order.
    await fixture.database.sql`update touchpoints set position = -1 where organization_id = ${id}
      and slug = ${order.at(3)}`;
    expect(slugs(await read())).toEqual([order.at(3), ...order.filter((_, n) => n !== 3)]);
  });

  test('shows a touchpoint that was turned off as inactive until it is turned on', async () => {
    const { id } = fixture.organization;
    await fixture.run('touchpoint', 'set', '--org', id, 'on_my_way', '--active', 'false');
    const off = (await read()).find(({ slug }) => slug === 'on_my_way');
    expect(off).toMatchObject({ active: false, name: 'On my way' });
    await fixture.run('touchpoint', 'set', '--org', id, 'on_my_way', '--active', 'true');
    expect((await read()).find(({ slug }) => slug === 'on_my_way')).toEqual({ ...off, active: true });
  });
});
