import { COUNT_LIMIT } from '@foreword/contract/plain';
import { formatNumber } from '../../format.ts';

export const formatUpToLimit = (count: number): string =>
  count > COUNT_LIMIT ? `${formatNumber(COUNT_LIMIT)}+` : formatNumber(count);

export const INTROS = {
  member: 'Member',
  lists: { created: 'Intros, newest first', due: 'Intros, by deadline', status: 'Intros, by status' },
  sort: 'Sort by',
  sorts: { created: 'Newest', due: 'Deadline', status: 'Status' },
  columns: {
    recipient: 'Recipient',
    touchpoint: 'Touchpoint and member',
    status: 'Status',
  },
  emptyLead: 'Intros appear here when your system sends an event or a member starts one.',
  emptyEventsLead: 'Events that your system sends appear here with their results.',
  watched: (percent: number) => (percent === 100 ? 'Watched' : `Watched ${percent}%`),
} as const;
