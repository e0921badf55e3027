import { formatCount } from '../../format.ts';

const intros = (count: number): string => formatCount(count, 'intro');

export type BulkAction = 'remind' | 'reassign' | 'cancel';

/** Actions on several intros. */
export const BULK = {
  actions: { remind: 'Remind', reassign: 'Reassign', cancel: 'Cancel' },
  explain: {
    remind:
      'The members are notified now, or in the morning if it is late. A member notified in the last hour gets no reminder.',
    reassign: 'The new member is notified immediately. The old links stop working, and unfinished uploads are lost.',
    cancel: 'Their links stop working, and no more messages are sent. You can’t undo this.',
  },
  skipped: (count: number) =>
    count === 1
      ? 'One selected intro is left out because of its status.'
      : `${count} selected intros are left out because of their status.`,
  confirm: {
    remind: (count: number) => `Send ${formatCount(count, 'reminder')}`,
    reassign: (count: number) => `Reassign ${intros(count)}`,
    cancel: (count: number) => `Cancel ${intros(count)}`,
  },
  done: {
    remind: (count: number) => `${formatCount(count, 'reminder')} scheduled.`,
    reassign: (count: number) => `${intros(count)} reassigned.`,
    cancel: (count: number) => `${intros(count)} cancelled.`,
  },
  left: (count: number) => `${intros(count)} not changed yet.`,
  refused: (count: number) => `${intros(count)} couldn’t be changed:`,
} as const;
