import type { CreateIntro } from '@foreword/contract';
import { describe, expect, test } from 'vitest';
import {
  type CreationContext,
  type DirectInContext,
  decideIntro,
  type EventInContext,
  toDirect,
} from '../../src/intros/decision.ts';

const AT = new Date('2026-03-10T12:00:00Z');
const FUTURE = { starts_at: '2026-03-12T14:30:00', timezone: 'America/New_York' };
const PAST = { starts_at: '2026-03-09T14:30:00', timezone: 'America/New_York' };
const RECIPIENT = { first_name: 'Sarah', phone: '+14155550100' };

const CONTEXT: CreationContext = {
  organization_id: 'org_1',
  environment: 'test',
  phone: RECIPIENT.phone,
  organization_name: 'Acme Roofing',
  organization_language: 'en',
  member_id: 'mem_1',
  member_active: true,
  member_first_name: 'Jake',
  member_last_name: 'Turner',
  recipient_opted_out: false,
  has_erased_opt_outs: false,
  has_webhooks: false,
  clock_offset_s: null,
};

const EVENT: EventInContext = {
  ...CONTEXT,
  event_id: 'evt_1',
  request: {
    touchpoint: 'new_appointment',
    member: { id: 'mem_1' },
    recipient: RECIPIENT,
    occurred_at: '2026-03-10T11:59:00Z',
  },
  touchpoint_slug: 'new_appointment',
  touchpoint_version: 3,
  touchpoint_active: true,
  page_title: 'For {{ recipient.first_name }}',
  script: 'Hi, {{ member.first_name }} from {{ organization.name }}.',
  page_title_es: null,
  script_es: null,
  delivery: 'integration',
  minutes_to_record: 60,
};

const DIRECT: CreateIntro = { member: { id: 'mem_1' }, recipient: RECIPIENT };

const event = (change: object): EventInContext => ({ ...EVENT, request: { ...EVENT.request, ...change } });
const direct = (change: object): DirectInContext => toDirect(CONTEXT, { ...DIRECT, ...change });

describe('an intro', () => {
  test('of an event has the content of the touchpoint', () => {
    expect(decideIntro(EVENT, AT)).toEqual({
      organization_id: 'org_1',
      environment: 'test',
      id: expect.stringMatching(/^int_/),
      status: 'requested',
      event_id: 'evt_1',
      touchpoint_slug: 'new_appointment',
      touchpoint_version: 3,
      member_id: 'mem_1',
      recipient_first_name: 'Sarah',
      recipient_last_name: null,
      recipient_phone: '+14155550100',
      recipient_language: 'en',
      reference: null,
      reference_id: null,
      context: { title: 'For Sarah', appointment: null, trade: null, lane: null },
      script: 'Hi, Jake from Acme Roofing.',
      script_language: 'en',
      instructed: true,
      responsibility: 'integration',
      metadata: {},
      created_at: AT,
      expires_at: new Date('2026-03-10T13:00:00Z'),
    });
  });

  test('of a request has the content of the request, and 7 days', () => {
    expect(decideIntro(direct({}), AT)).toMatchObject({
      event_id: null,
      touchpoint_slug: null,
      touchpoint_version: null,
      context: null,
      script: null,
      instructed: false,
      responsibility: 'integration',
      expires_at: new Date('2026-03-17T12:00:00Z'),
    });
  });

  const spanish = { recipient: { ...RECIPIENT, language: 'es' } };
  test.each<[string, EventInContext | DirectInContext, object]>([
    [
      'an appointment is the deadline',
      event({ context: { appointment: FUTURE, trade: 'roofing', lane: 'retail' } }),
      {
        context: {
          title: 'For Sarah',
          appointment: { starts_at: '2026-03-12T18:30:00.000Z', timezone: 'America/New_York' },
          trade: 'roofing',
          lane: 'retail',
        },
        expires_at: new Date('2026-03-12T18:30:00Z'),
      },
    ],
    [
      'a past appointment is not',
      event({ context: { appointment: PAST } }),
      { expires_at: new Date('2026-03-10T13:00:00Z') },
    ],
    [
      "the organization's language",
      { ...EVENT, organization_language: 'es', script_es: 'Hola', page_title_es: 'Para usted' },
      { recipient_language: 'es', script_language: 'es', script: 'Hola', context: { title: 'Para usted' } },
    ],
    [
      'the English script without one in the language of the recipient',
      event(spanish),
      { recipient_language: 'es', script_language: 'en', context: { title: null } },
    ],
    [
      'a number that opted out is not texted by the integration',
      { ...EVENT, recipient_opted_out: true },
      { responsibility: 'integration' },
    ],
    [
      'a direct request for such a number is accepted',
      { ...direct({ delivery: { responsibility: 'service' } }), recipient_opted_out: true },
      { responsibility: 'service', status: 'requested' },
    ],
    [
      'a given title, script and reference',
      direct({
        ...spanish,
        context: { title: 'Hello', appointment: FUTURE },
        instructions: { script: 'One\ttwo' },
        reference: { id: 'deal_1' },
        metadata: { a: 1 },
      }),
      {
        script: 'One two',
        script_language: 'es',
        instructed: true,
        context: { title: 'Hello', trade: null, lane: null },
        reference: { source: null, type: null, id: 'deal_1' },
        reference_id: 'deal_1',
        metadata: { a: 1 },
        expires_at: new Date('2026-03-12T18:30:00Z'),
      },
    ],
    ['instructions without a script', direct({ instructions: {} }), { script: null, instructed: true }],
  ])('%s', (_, found, expected) => {
    const outcome = found.event_id === null ? decideIntro(found, AT) : decideIntro(found, AT);
    expect(outcome).toMatchObject(expected);
  });
});

// In this order: the first that applies is the code of the failure.
test.each<[string, Partial<EventInContext>]>([
  ['touchpoint_not_found', { touchpoint_active: false, member_active: false, recipient_opted_out: true }],
  ['member_not_found', { member_active: false, delivery: 'service', recipient_opted_out: true }],
  ['recipient_opted_out', { delivery: 'service', recipient_opted_out: true, script: '{{ nothing }}' }],
  ['template_invalid', { script: '{{ nothing }}' }],
  ['template_invalid', { page_title: '{{ recipient.first_name }}'.repeat(100) }],
])('an event fails with %s', (code, change) => {
  expect(decideIntro({ ...EVENT, ...change }, AT)).toEqual({ code, message: expect.any(String) });
});
