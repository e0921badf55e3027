import { describe, expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import { APPOINTMENT, anEvent, expectError, introOfEvent } from './support/actions.ts';
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

// The table of the specification, by lane. True: events must have an appointment.
const INSURANCE = {
  new_inspection: true,
  inspection_confirmation: true,
  inspection_findings: false,
  claim_follow_up: false,
  adjuster_meeting: true,
  claim_update: false,
  approved_moving_forward: false,
};
const RETAIL = {
  new_appointment: true,
  appointment_confirmation: true,
  estimate_follow_up: false,
  decision_follow_up: false,
};
const BOTH = { on_my_way: false, project_kickoff: false, project_update: false, project_complete: false };
const REAL_ESTATE = {
  first_client_meeting: true,
  buyer_introduction: true,
  showing: true,
  listing_appointment: true,
  follow_up: false,
  offer_update: false,
  under_contract: false,
  closing: false,
  thank_you: false,
  custom: false,
};

describe('an organization starts with the touchpoints of its industry and lanes', () => {
  test.each([
    ['exterior_remodeling', [], { ...INSURANCE, ...RETAIL, ...BOTH }],
    ['exterior_remodeling', ['retail', 'insurance'], { ...INSURANCE, ...RETAIL, ...BOTH }],
    ['exterior_remodeling', ['insurance'], { ...INSURANCE, ...BOTH }],
    ['exterior_remodeling', ['retail'], { ...RETAIL, ...BOTH }],
    ['real_estate', [], REAL_ESTATE],
  ] as const)('%s with lanes %j', async (industry, lanes, expected) => {
    const { api } = await fixture.newOrganization({ industry, lanes: [...lanes] });
    const touchpoints = await read(api);
    expect(slugs(touchpoints).sort()).toEqual(Object.keys(expected).sort());
    for (const { slug, context, active } of touchpoints) {
      const isAppointment = (expected as Record<string, boolean>)[slug];
      expect({ slug, active, isAppointment: context === 'appointment' }).toEqual({ slug, active: true, isAppointment });
      expect(['appointment', 'status', 'milestone', 'none']).toContain(context);
    }
  });

  test.each(['exterior_remodeling', 'real_estate'] as const)(
    '%s: an event for any of them creates an intro',
    async (industry) => {
      const { api } = await fixture.newOrganization({ industry });
      for (const { slug, context } of await read(api)) {
        const needed = context === 'appointment' ? { context: { appointment: APPOINTMENT } } : {};
        const { touchpoint, instructions } = await introOfEvent(api, { touchpoint: slug, ...needed });
        expect(touchpoint).toBe(slug);
        expect(instructions.script.length).toBeGreaterThan(20);
      }
    },
  );
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
    await fixture.database.query('update touchpoints set position = -1 where organization_id = $1 and slug = $2', [
      id,
      order.at(3),
    ]);
    expect(slugs(await read())).toEqual([order.at(3), ...order.filter((_, n) => n !== 3)]);
  });

  test('shows a touchpoint that was turned off as inactive, and events for it are rejected', async () => {
    const { id } = fixture.organization;
    await fixture.run('touchpoint', 'set', '--org', id, 'on_my_way', '--active', 'false');
    const off = (await read()).find(({ slug }) => slug === 'on_my_way');
    expect(off).toMatchObject({ active: false, name: 'On my way' });
    const reply = await fixture.api.post('/v1/touchpoint-events', anEvent({ touchpoint: 'on_my_way' }));
    expectError(reply, 422, 'touchpoint_not_found');
    await fixture.run('touchpoint', 'set', '--org', id, 'on_my_way', '--active', 'true');
    expect((await read()).find(({ slug }) => slug === 'on_my_way')).toEqual({ ...off, active: true });
  });

  test("a change in one organization does not affect another organization's list", async () => {
    const other = await fixture.newOrganization({ name: 'Second' });
    const before = await read(other.api);
    await fixture.run('touchpoint', 'set', '--org', fixture.organization.id, 'claim_update', '--name', 'Claim status');
    expect((await read()).find(({ slug }) => slug === 'claim_update')?.name).toBe('Claim status');
    expect(await read(other.api)).toEqual(before);
  });

  test('lists what events can name: every active slug is accepted, and no name is', async () => {
    for (const { slug, name } of (await read()).filter(({ active }) => active)) {
      const context = { appointment: APPOINTMENT };
      const reply = await fixture.api.post('/v1/touchpoint-events', anEvent({ touchpoint: slug, context }));
      expect(reply.status).toBe(202);
      const byName = await fixture.api.post('/v1/touchpoint-events', anEvent({ touchpoint: name, context }));
      expectError(byName, 422, 'validation_failed', 'touchpoint');
    }
  });
});
