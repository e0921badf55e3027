import type { RecorderTexts } from './recorder-texts.ts';

export const en: RecorderTexts = {
  heading: (name) => `For ${name}`,
  cardDescription: 'A personal link to record a video. Please do not share it.',
  region: 'Record a video',
  needsScript:
    'This page needs JavaScript to record a video. Turn it on in your browser, or open the link in another browser.',
  explainRefusal: (_code, stored) => stored,
  explainFailure: (_code, stored) => stored,
};
