import { formatCount, formatList } from '../../format.ts';

const found = ({ open, pages }: { open: number; pages: number }): string[] => [
  ...(open > 0 ? [`${formatCount(open, 'open intro')} will be cancelled`] : []),
  ...(pages > 0 ? [`${formatCount(pages, 'page')} will close`] : []),
];

export const ERASURES = {
  title: 'Erase a recipient',
  lead: 'When a person asks you to delete their data. Their name, number, videos, texts, and replies are removed. IDs, statuses, and counts stay.',
  none: 'No intro uses this number. Anything else that contains it, such as rejected requests, is removed.',
  found: (preview: { intros: number; open: number; pages: number }) => {
    const effects = found(preview);
    const total = `${formatCount(preview.intros, 'intro')} to this number.`;
    return effects.length === 0 ? total : `${total} ${formatList(effects)}.`;
  },
  removes:
    'Their name, number, videos, texts, replies, and everything else that identifies them is removed within a minute. You can’t undo this.',
  optedOut: 'They opted out of texts. Foreword keeps the opt-out without the number, so they are never texted again.',
  receipt: ({ intros, messages, recordings }: { intros: number; messages: number; recordings: number }) =>
    formatList([
      formatCount(intros, 'intro'),
      formatCount(messages, 'text or email', 'texts and emails'),
      formatCount(recordings, 'video'),
    ]),
} as const;
