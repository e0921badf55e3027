import type { Lane, Responsibility, TouchpointContext } from '@foreword/contract';

/** A touchpoint that every new organization gets. Title and script are Liquid and also read well without optional values. */
export interface StartingTouchpoint {
  slug: string;
  name: string;
  context: TouchpointContext;
  /** null: both lanes. */
  lane: Lane | null;
  delivery: Responsibility;
  daysToRecord: number;
  /** The line above the video. It truncates names: a name may have 100 characters, a title 120. */
  pageTitle: string;
  /** 30 to 45 words, about 15 seconds. */
  script: string;
}
