import { formatShare } from '../../format.ts';

export const HOME = {
  toRecordEmptyLead: 'Videos you need to record appear here. We’ll notify you when there is one.',
  recordedEmpty: 'Your recorded videos appear here, with how much of each was watched.',
  appointment: (when: string) => `Appointment ${when}`,
  until: (when: string) => `Record by ${when}`,
  processing: (percent: number) =>
    percent === 0 ? 'Processing your video' : `Processing your video, ${formatShare(percent / 100)}`,
  refused: (reason: string) => `This take can’t be used. ${reason}`,
} as const;

export const NEW_INTRO = {
  none: 'No touchpoint is turned on for your lanes. Ask an owner or manager to turn one on.',
  noneFor: (name: string) => `No touchpoint is turned on for the lanes of ${name}.`,
  contactsFailed: 'Your contacts could not be opened. Type the name and number instead.',
  required: 'This field is required.',
  progress: 'Writing the script. The intro is created even if you leave this page.',
} as const;
