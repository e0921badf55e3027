import type { RetentionRule } from '@foreword/contract';
import { formatCount, formatNumber } from '../../format.ts';

const MEGABYTE = 1_000_000;
const GIGABYTE = 1_000_000_000;

const formatSize = (bytes: number): string =>
  bytes >= GIGABYTE
    ? `${formatNumber(Math.round(bytes / GIGABYTE))} GB`
    : `${formatNumber(Math.max(1, Math.round(bytes / MEGABYTE)))} MB`;

export const EXPORT = {
  lead: 'Everything about your organization in one archive: data as JSON Lines, and all videos and pictures. It contains personal data, so keep it safe.',
  estimate: ({ intros, videos, bytes }: { intros: number; videos: number; bytes: number }) =>
    videos === 0
      ? `${formatCount(intros, 'intro')} and no videos.`
      : `${formatCount(intros, 'intro')} and ${formatCount(videos, 'video')}. The videos take up about ${formatSize(bytes)}, or more while original takes are kept.`,
  download: 'Download archive',
} as const;

const COUNTED: Record<RetentionRule, readonly [one: string, many: string]> = {
  videos: ['video', 'videos'],
  intros: ['intro', 'intros'],
  events: ['event', 'events'],
  messages: ['message', 'messages'],
  requests: ['logged request', 'logged requests'],
  webhooks: ['webhook', 'webhooks'],
  responses: ['response', 'responses'],
  audit: ['entry', 'entries'],
};

const days = (amount: number) => formatCount(amount, 'day');

export const RETENTION = {
  lead: 'How long your organization keeps its data. Older data is removed every hour and can’t be restored.',
  kept: (amount: number, since: string) => `${days(amount)} after ${since}`,
  pending: (amount: number) => `Changes to ${days(amount)} on`,
  hint: (min: number, max: number, byDefault: number) =>
    `From ${formatNumber(min)} to ${formatNumber(max)} days. Default: ${formatNumber(byDefault)}.`,
  whyDefault: (amount: number) => `Why ${days(amount)}`,
  whyNotLess: (amount: number) => `Why at least ${days(amount)}`,
  preview: (rule: RetentionRule, count: number, hasMore: boolean) => {
    const [one, many] = COUNTED[rule];
    return hasMore
      ? `More than ${formatNumber(count)} ${many} will be removed`
      : `${formatCount(count, one, many)} will be removed`;
  },
} as const;
