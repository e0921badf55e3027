import { formatCount, formatNumber } from '../../format.ts';

const MEGABYTE = 1_000_000;
const GIGABYTE = 1_000_000_000;

const formatSize = (bytes: number): string =>
  bytes >= GIGABYTE
    ? `${formatNumber(Math.round(bytes / GIGABYTE))} GB`
    : `${formatNumber(Math.max(1, Math.round(bytes / MEGABYTE)))} MB`;

export const EXPORT = {
  title: 'Export your data',
  lead: 'Everything about your organization in one archive: data as JSON Lines, and all videos and pictures. It contains personal data, so keep it safe.',
  estimate: ({ intros, videos, bytes }: { intros: number; videos: number; bytes: number }) =>
    videos === 0
      ? `${formatCount(intros, 'intro')} and no videos.`
      : `${formatCount(intros, 'intro')} and ${formatCount(videos, 'video')}. The videos take up about ${formatSize(bytes)}, or more while original takes are kept.`,
  interrupted: {
    before: 'If the download stops, it starts over. For a large archive, ask your administrator to run ',
    command: 'foreword export',
    after: ', which continues where it stopped.',
  },
  running: 'An export is already running. Try again once it has finished.',
  download: 'Download archive',
  recipient: 'Recipient’s data',
  downloadRecipient: 'Download archive',
} as const;
