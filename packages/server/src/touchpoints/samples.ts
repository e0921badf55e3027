import type { TemplateValues } from './template-values.ts';

interface SampleOrganization {
  readonly name: string;
  readonly timezone: string;
}

/** Typical names, and every optional value. */
export const sampleValues = ({ name, timezone }: SampleOrganization): TemplateValues => ({
  recipient: { first_name: 'Sarah', last_name: 'Miller' },
  member: { first_name: 'Jake', last_name: 'Turner' },
  organization: { name },
  // Far enough in the future to be recognized as a sample. In the Americas this is the afternoon of March 12.
  appointment: { startsAt: new Date('2031-03-12T20:30:00Z'), timezone },
  trade: 'roofing',
  lane: 'retail',
});

/** The same people, with only the required values. */
export const bareSampleValues = (organization: SampleOrganization): TemplateValues => ({
  ...sampleValues(organization),
  recipient: { first_name: 'Sarah', last_name: null },
  appointment: null,
  trade: null,
  lane: null,
});

/** The API's limit for a name. */
const LONGEST_NAME = 100;

/** A template that fits with these values fits for everyone. */
export const longestValues = (organization: SampleOrganization): TemplateValues => ({
  ...sampleValues(organization),
  recipient: { first_name: 'x'.repeat(LONGEST_NAME), last_name: 'x'.repeat(LONGEST_NAME) },
  member: { first_name: 'x'.repeat(LONGEST_NAME), last_name: 'x'.repeat(LONGEST_NAME) },
});
