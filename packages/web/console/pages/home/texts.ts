import { formatShare } from '../../format.ts';

export const HOME = {
  recordedEmpty: 'Your recorded videos appear here, with how much of each was watched.',
  appointment: (when: string) => `Appointment ${when}`,
  until: (when: string) => `Record by ${when}`,
  processing: (percent: number) =>
    percent === 0 ? 'Processing your video' : `Processing your video, ${formatShare(percent / 100)}`,
} as const;

export const NEW_INTRO = {
  none: 'No touchpoint is turned on for your lanes. Ask an owner or manager to turn one on.',
  required: 'This field is required.',
} as const;
