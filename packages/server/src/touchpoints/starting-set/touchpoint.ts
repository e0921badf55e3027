export type Lane = 'retail' | 'insurance';

/** A touchpoint an organization starts with. Its title and script are Liquid; they read well when nothing optional was sent. */
export interface StartingTouchpoint {
  slug: string;
  name: string;
  context: 'appointment' | 'status' | 'milestone' | 'none';
  /** null: every lane. */
  lane: Lane | null;
  delivery: 'integration' | 'service';
  daysToRecord: number;
  /** The line above the video. Names are cut, since a name may have 100 characters and a title 120. */
  pageTitle: string;
  /** What the member says in about 15 seconds: 30 to 45 words. */
  script: string;
}
