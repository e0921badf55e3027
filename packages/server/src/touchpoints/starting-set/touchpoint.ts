import {
  DAY_MINUTES as DAY,
  HOUR_MINUTES as HOUR,
  type Lane,
  type Responsibility,
  type TouchpointContext,
} from '@foreword/contract';

import type { SpanishTemplates } from './spanish.ts';

export { DAY, HOUR };

/** A touchpoint that every new organization gets. Title and script are Liquid and also read well without optional values. */
export interface StartingTouchpoint {
  slug: string;
  name: string;
  context: TouchpointContext;
  /** null: both lanes. */
  lane: Lane | null;
  delivery: Responsibility;
  /** How long the video is still useful, unless there is an appointment, which is then the deadline. */
  minutesToRecord: number;
  /** The line above the video. It truncates names: a name may have 100 characters, a title 120. */
  pageTitle: string;
  /** At most 36 words with ordinary names, which leaves a word for a longer one: see SCRIPT_FIT_WORDS. */
  script: string;
  spanish: SpanishTemplates;
}
