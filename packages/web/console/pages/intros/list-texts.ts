import { COUNT_LIMIT } from '@foreword/contract/plain';
import { formatNumber } from '../../format.ts';

export const formatUpToLimit = (count: number): string =>
  count > COUNT_LIMIT ? `${formatNumber(COUNT_LIMIT)}+` : formatNumber(count);

export const INTROS = {
  status: 'Status',
  all: 'All',
  problems: 'Problems',
  delivery: 'Delivery',
  anyDelivery: 'Any',
  search: 'Name, phone, or ID',
  member: 'Member',
  anyMember: 'Any member',
  clearMember: 'Clear member',
  touchpoint: 'Touchpoint',
  anyTouchpoint: 'Any touchpoint',
  from: 'From',
  to: 'Until',
  lists: { created: 'Intros, newest first', due: 'Intros, by deadline', status: 'Intros, by status' },
  sort: 'Sort by',
  sorts: { created: 'Newest', due: 'Deadline', status: 'Status' },
  select: (name: string) => `Select the intro for ${name}`,
  selectAll: 'Select all listed intros',
  due: 'Due',
  events: 'Events, newest first',
  columns: {
    recipient: 'Recipient',
    touchpoint: 'Touchpoint and member',
    due: 'Due',
    createdAt: 'Requested',
    receivedAt: 'Received',
    status: 'Status',
  },
  empty: 'No intros yet',
  emptyLead: 'Intros appear here when your system sends an event or a member starts one.',
  emptyEvents: 'No events yet',
  emptyEventsLead: 'Events that your system sends appear here with their results.',
  firstSteps: 'Connect your system',
  none: 'No results',
  opened: 'Opened',
  watched: (percent: number) => (percent === 100 ? 'Watched' : `Watched ${percent}%`),
} as const;
