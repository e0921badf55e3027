import { describe, expect, it } from 'vitest';
import { startingTouchpoints } from '../../src/touchpoints/starting-set.ts';
import { checkTemplate, renderTemplate } from '../../src/touchpoints/template.ts';
import type { TemplateValues } from '../../src/touchpoints/template-values.ts';

const INSURANCE = [
  ...['new_inspection', 'inspection_confirmation', 'inspection_findings', 'claim_follow_up', 'adjuster_meeting'],
  ...['claim_update', 'approved_moving_forward'],
];
const RETAIL = ['new_appointment', 'appointment_confirmation', 'estimate_follow_up', 'decision_follow_up'];
const BOTH_LANES = ['on_my_way', 'project_kickoff', 'project_update', 'project_complete'];
const REAL_ESTATE = [
  ...['first_client_meeting', 'buyer_introduction', 'showing', 'listing_appointment', 'follow_up', 'offer_update'],
  ...['under_contract', 'closing', 'thank_you', 'custom'],
];
const WITH_APPOINTMENT = [
  ...['new_inspection', 'inspection_confirmation', 'adjuster_meeting', 'new_appointment', 'appointment_confirmation'],
  ...['first_client_meeting', 'buyer_introduction', 'showing', 'listing_appointment'],
];
const TITLE_LIMIT = 120;
const SCRIPT_LIMIT = 1_000;

const exterior = startingTouchpoints('exterior_remodeling', []);
const all = [...exterior, ...startingTouchpoints('real_estate', [])];

const full: TemplateValues = {
  recipient: { first_name: 'Sarah', last_name: 'Miller' },
  member: { first_name: 'Jake', last_name: 'Turner' },
  organization: { name: 'Blue Ridge Exteriors' },
  appointment: { startsAt: new Date('2026-03-12T18:30:00Z'), timezone: 'America/New_York' },
  trade: 'roofing',
  lane: 'insurance',
};
const bare: TemplateValues = {
  ...full,
  recipient: { first_name: 'Sarah', last_name: null },
  organization: { name: 'Summit Homes' },
  appointment: null,
  trade: null,
  lane: null,
};
const longName = 'Wolfeschlegelsteinhausen-'.repeat(4);
const longNames: TemplateValues = {
  ...full,
  recipient: { first_name: longName, last_name: longName },
  member: { first_name: longName, last_name: longName },
  organization: { name: longName },
};

const trades = ['roofing', 'siding', 'windows', 'doors', 'gutters', null];
const lastNames = ['Miller', null];
const lanes = ['retail', 'insurance', null];
const appointments = [full.appointment, null];
const everyMixOfMissingValues: TemplateValues[] = trades.flatMap((trade) =>
  lanes.flatMap((lane) =>
    appointments.flatMap((appointment) =>
      lastNames.map((last_name) => {
        const recipient = { first_name: 'Sarah', last_name };
        // A name that ends in a full stop shows where a script would end a sentence on it.
        return { ...full, recipient, organization: { name: 'Apex Roofing Co.' }, trade, lane, appointment };
      }),
    ),
  ),
);

const slugs = (touchpoints: { slug: string }[]) => touchpoints.map(({ slug }) => slug);
const wordCount = (text: string) => text.split(/\s+/).length;

const HOLES = [
  { hole: 'a double or odd space', pattern: /\s\s|[^\S ]/ },
  { hole: 'a space before punctuation', pattern: /\s[.,;:?]/ },
  { hole: 'doubled punctuation other than "Co.,"', pattern: /\.[.;?]|[,;:?][.,;:?]/ },
  {
    hole: 'a preposition with nothing after it',
    pattern: /\b(?:on|at|for|your|a|the|with|from)(?:[.,;:?]|$| (?:on|at)\b)/,
  },
  { hole: 'a value that was not there', pattern: /\b(?:null|undefined|object|NaN|Invalid)\b/ },
  { hole: 'code of the template', pattern: /[{}%|]/ },
];

describe('the starting touchpoints', () => {
  it('are exactly those of each industry, each slug once', () => {
    expect(slugs(exterior).toSorted()).toEqual([...INSURANCE, ...RETAIL, ...BOTH_LANES].toSorted());
    expect(slugs(startingTouchpoints('real_estate', [])).toSorted()).toEqual(REAL_ESTATE.toSorted());
  });

  it('of an exterior remodeler are those of its lanes, and of both lanes when none was chosen', () => {
    const ofLanes = (...lanes: ('retail' | 'insurance')[]) => slugs(startingTouchpoints('exterior_remodeling', lanes));
    expect(ofLanes('retail').toSorted()).toEqual([...RETAIL, ...BOTH_LANES].toSorted());
    expect(ofLanes('insurance').toSorted()).toEqual([...INSURANCE, ...BOTH_LANES].toSorted());
    expect(ofLanes('insurance', 'retail')).toEqual(slugs(exterior));
  });

  it('of real estate are the same whatever lanes are given', () => {
    expect(slugs(startingTouchpoints('real_estate', ['retail'])).toSorted()).toEqual(REAL_ESTATE.toSorted());
  });

  it('hand out a list of its own, so a caller that changes it changes nobody else', () => {
    startingTouchpoints('real_estate', []).length = 0;
    expect(startingTouchpoints('real_estate', [])).toHaveLength(REAL_ESTATE.length);
  });

  it('need an appointment exactly where the moment is a meeting', () => {
    expect(slugs(all.filter(({ context }) => context === 'appointment')).toSorted()).toEqual(
      WITH_APPOINTMENT.toSorted(),
    );
  });

  it('have names, scripts and titles that all differ', () => {
    for (const key of ['name', 'script', 'pageTitle'] as const) {
      expect(new Set(all.map((touchpoint) => touchpoint[key])).size, key).toBe(all.length);
    }
  });

  it('give between one and seven days to record', () => {
    for (const { daysToRecord, slug } of all) expect([1, 2, 3, 4, 5, 6, 7], slug).toContain(daysToRecord);
  });
});

describe.each(all)('$slug', ({ script, pageTitle, context }) => {
  it('passes the check that an edited template must pass', () => {
    checkTemplate(script);
    checkTemplate(pageTitle);
  });

  it('takes about fifteen seconds: 30 to 45 words with all values, 25 to 45 with the fewest', () => {
    const words = wordCount(renderTemplate(script, full, SCRIPT_LIMIT));
    expect(words).toBeGreaterThanOrEqual(30);
    expect(words).toBeLessThanOrEqual(45);
    const bareWords = wordCount(renderTemplate(script, bare, SCRIPT_LIMIT));
    expect(bareWords).toBeGreaterThanOrEqual(25);
    expect(bareWords).toBeLessThanOrEqual(45);
  });

  it('leaves no hole in script or title, whichever values are missing', () => {
    for (const values of everyMixOfMissingValues) {
      for (const text of [script, pageTitle]) {
        const rendered = renderTemplate(text, values, SCRIPT_LIMIT);
        for (const { hole, pattern } of HOLES) expect(rendered, hole).not.toMatch(pattern);
      }
    }
  });

  it('names the recipient, the member and the organization', () => {
    const rendered = renderTemplate(script, bare, SCRIPT_LIMIT);
    for (const name of ['Sarah', 'Jake', 'Summit Homes']) expect(rendered).toContain(name);
  });

  it('says when the appointment is, if and only if it is about one', () => {
    const rendered = renderTemplate(script, full, SCRIPT_LIMIT);
    const isAboutOne = context === 'appointment';
    expect(rendered.includes('Thursday, March 12, at 2:30 PM')).toBe(isAboutOne);
  });

  it('claims no day that has passed when it is watched, and never shouts', () => {
    expect(script).not.toMatch(/today|tomorrow|yesterday|tonight|this (?:morning|afternoon|evening)|!/i);
  });

  it('keeps within the limits of script and title with names of 100 characters', () => {
    expect(longName).toHaveLength(100);
    expect(renderTemplate(script, longNames, SCRIPT_LIMIT)).toContain(longName);
    expect(renderTemplate(pageTitle, longNames, TITLE_LIMIT).length).toBeLessThanOrEqual(TITLE_LIMIT);
  });
});
