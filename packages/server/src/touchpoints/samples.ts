import type { TemplateValues } from './template-values.ts';

interface Whose {
  readonly name: string;
  readonly timezone: string;
}

/** Usual names, and everything that an event can bring. */
export const sampleValues = ({ name, timezone }: Whose): TemplateValues => ({
  recipient: { first_name: 'Sarah', last_name: 'Miller' },
  member: { first_name: 'Jake', last_name: 'Turner' },
  organization: { name },
  // Nobody takes it for one of theirs; in every zone of the Americas it is the afternoon of March 12.
  appointment: { startsAt: new Date('2031-03-12T20:30:00Z'), timezone },
  trade: 'roofing',
  lane: 'retail',
});

/** The same people, with nothing but what must be sent. */
export const bareSampleValues = (whose: Whose): TemplateValues => ({
  ...sampleValues(whose),
  recipient: { first_name: 'Sarah', last_name: null },
  appointment: null,
  trade: null,
  lane: null,
});

/** As long as a name may be. */
const LONGEST_NAME = 100;

/** Whatever fits with these fits with everybody. */
export const longestValues = (whose: Whose): TemplateValues => ({
  ...sampleValues(whose),
  recipient: { first_name: 'x'.repeat(LONGEST_NAME), last_name: 'x'.repeat(LONGEST_NAME) },
  member: { first_name: 'x'.repeat(LONGEST_NAME), last_name: 'x'.repeat(LONGEST_NAME) },
});
