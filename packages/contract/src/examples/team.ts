import { ANA, ESTIMATE_FOLLOW_UP, JUNE, MARCUS, NEW_APPOINTMENT, ON_MY_WAY, TURNED_OFF } from './objects/team.ts';
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
  listMembers: {
    responses: {
      page: {
        summary: 'All members, including one who left',
        value: { object: 'list', data: [JUNE, MARCUS, ANA], has_more: false },
      },
      oneMember: {
        summary: 'The member with an external_id',
        value: { object: 'list', data: [ANA], has_more: false },
      },
      empty: { summary: 'Nobody matches', value: { object: 'list', data: [], has_more: false } },
    },
  },
} satisfies Partial<Examples>;
