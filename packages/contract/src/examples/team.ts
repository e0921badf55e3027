import { ANA, ESTIMATE_FOLLOW_UP, JUNE, MARCUS, NEW_APPOINTMENT, ON_MY_WAY, ROSA, TURNED_OFF } from './objects/team.ts';
import type { Examples } from './types.ts';

export const TEAM_EXAMPLES = {
  listTouchpoints: {
    responses: {
      all: {
        summary: 'The touchpoints of a remodeler',
        value: {
          object: 'list',
          data: [NEW_APPOINTMENT, TURNED_OFF, ON_MY_WAY, ESTIMATE_FOLLOW_UP],
          has_more: false,
        },
      },
    },
  },
  retrieveTouchpoint: {
    responses: {
      active: { summary: 'Active', value: NEW_APPOINTMENT },
      off: { summary: 'Turned off: events for it are rejected', value: TURNED_OFF },
    },
  },
  listMembers: {
    query: { external_id: 'rep_17' },
    responses: {
      page: {
        summary: 'All members, including one who left',
        value: { object: 'list', data: [JUNE, MARCUS, ANA], has_more: false },
      },
      oneMember: {
        summary: 'The member with an external_id',
        value: { object: 'list', data: [ANA], has_more: false },
      },
      empty: { summary: 'No member matches', value: { object: 'list', data: [], has_more: false } },
    },
  },
  retrieveMember: {
    responses: {
      active: { summary: 'Active', value: ROSA },
      deactivated: { summary: 'Deactivated', value: JUNE },
    },
  },
  createMember: {
    idempotencyKey: 'acme_crm:rep_31:v1',
    requests: {
      sync: {
        summary: 'From a CRM: creates the member, or updates the one with this external_id',
        value: {
          external_id: 'rep_31',
          first_name: 'Rosa',
          last_name: 'Diaz',
          email: 'rosa@acme.example',
          phone: '+15005550131',
          title: 'estimator',
          lanes: ['retail'],
        },
      },
      smallest: {
        summary: 'Only the required fields: always creates a member',
        value: { first_name: 'Ira', last_name: 'Cole', email: 'ira@acme.example' },
      },
    },
    responses: { member: { summary: 'The member, created or updated', value: ROSA } },
  },
  updateMember: {
    idempotencyKey: 'acme_crm:rep_31:v2',
    requests: {
      phone: { summary: 'Another phone number', value: { phone: '+15005550132' } },
      removed: { summary: 'Remove the phone number and the title', value: { phone: null, title: null } },
    },
    responses: { updated: { summary: 'The updated member', value: { ...ROSA, phone: '+15005550132' } } },
  },
  deactivateMember: {
    idempotencyKey: 'acme_crm:rep_31:deactivate:v3',
    requests: {
      keep: { summary: 'Keep open intros: the member can still record them', value: { open_intros: 'keep' } },
      cancel: { summary: 'Cancel open intros', value: { open_intros: 'cancel' } },
    },
    responses: { deactivated: { summary: 'The member, deactivated', value: { ...ROSA, active: false } } },
  },
  reactivateMember: {
    idempotencyKey: 'acme_crm:rep_31:reactivate:v4',
    requests: null,
    responses: { active: { summary: 'The member, active again', value: ROSA } },
  },
} satisfies Partial<Examples>;
