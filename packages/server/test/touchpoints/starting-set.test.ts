import { countWords, DAY_MINUTES, fitsInTime, PACE, SCRIPT_FIT_SECONDS, secondsToSay } from '@foreword/contract';
import { describe, expect, test } from 'vitest';
import { startingTouchpoints } from '../../src/touchpoints/starting-set.ts';
import { checkTemplate, renderTemplate, type TemplateValues } from '../../src/touchpoints/template.ts';

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

const ORDINARY_NAMES = ['Blue Ridge Exteriors', 'Summit Homes', 'Apex Roofing Co.'];

const trades = ['roofing', 'siding', 'windows', 'doors', 'gutters', null];
const lastNames = ['Miller', null];
const lanes = ['retail', 'insurance', null];
const appointments = [full.appointment, null];
const missingValueCombinations: TemplateValues[] = trades.flatMap((trade) =>
  lanes.flatMap((lane) =>
    appointments.flatMap((appointment) =>
      lastNames.map((last_name) => {
        const recipient = { first_name: 'Sarah', last_name };
        // A name that ends in a period reveals a script that ends a sentence with it.
        return { ...full, recipient, organization: { name: 'Apex Roofing Co.' }, trade, lane, appointment };
      }),
    ),
  ),
);

const slugs = (touchpoints: { slug: string }[]) => touchpoints.map(({ slug }) => slug);

const GAPS = [
  { gap: 'a double or odd space', pattern: /\s\s|[^\S ]/ },
  { gap: 'a space before punctuation', pattern: /\s[.,;:?]/ },
  { gap: 'doubled punctuation other than "Co.,"', pattern: /\.[.;?]|[,;:?][.,;:?]/ },
  {
    gap: 'a preposition with nothing after it',
    pattern: /\b(?:on|at|for|your|a|the|with|from)(?:[.,;:?]|$| (?:on|at)\b)/,
  },
  { gap: 'a missing value', pattern: /\b(?:null|undefined|object|NaN|Invalid)\b/ },
  { gap: 'template code', pattern: /[{}%|]/ },
];

describe('the starting touchpoints', () => {
  test('match the list for each industry, with each slug once', () => {
    expect(slugs(exterior).toSorted()).toEqual([...INSURANCE, ...RETAIL, ...BOTH_LANES].toSorted());
    expect(slugs(startingTouchpoints('real_estate', [])).toSorted()).toEqual(REAL_ESTATE.toSorted());
  });

  test('of an exterior remodeler follow its lanes, or both lanes if it chose none', () => {
    const slugsFor = (...lanes: ('retail' | 'insurance')[]) => slugs(startingTouchpoints('exterior_remodeling', lanes));
    expect(slugsFor('retail').toSorted()).toEqual([...RETAIL, ...BOTH_LANES].toSorted());
    expect(slugsFor('insurance').toSorted()).toEqual([...INSURANCE, ...BOTH_LANES].toSorted());
    expect(slugsFor('insurance', 'retail')).toEqual(slugs(exterior));
  });

  test('of real estate do not depend on lanes', () => {
    expect(slugs(startingTouchpoints('real_estate', ['retail'])).toSorted()).toEqual(REAL_ESTATE.toSorted());
  });

  test('require an appointment exactly for meetings', () => {
    expect(slugs(all.filter(({ context }) => context === 'appointment')).toSorted()).toEqual(
      WITH_APPOINTMENT.toSorted(),
    );
  });

  test('have unique names, scripts and titles', () => {
    for (const key of ['name', 'script', 'page_title'] as const) {
      expect(new Set(all.map((touchpoint) => touchpoint[key])).size, key).toBe(all.length);
    }
  });

  test('allow as much time to record as the video stays useful: "On my way" minutes, the others up to seven days', () => {
    for (const { minutes_to_record: minutesToRecord, slug } of all) {
      expect(Number.isInteger(minutesToRecord), slug).toBe(true);
      expect(minutesToRecord, slug).toBeLessThanOrEqual(7 * DAY_MINUTES);
      if (slug === 'on_my_way') expect(minutesToRecord).toBe(20);
      else if (slug === 'offer_update') expect(minutesToRecord).toBe(4 * 60);
      else expect(minutesToRecord % DAY_MINUTES, slug).toBe(0);
    }
  });
});

const SPANISH_GAPS = [
  ...GAPS.filter(({ gap }) => !gap.startsWith('a preposition')),
  { gap: 'a preposition with nothing after it', pattern: /\b(?:el|de|en|a|para|con|su)(?:[.,;:?]|$)/ },
  { gap: 'an English word', pattern: /\b(?:the|your|you|is|at|on|for|roofing|siding|windows|doors|gutters)\b/ },
];
const LANGUAGES = {
  en: {
    words: { min: 25, max: 36 },
    gaps: GAPS,
    appointment: 'Thursday, March 12, at 2:30 PM',
    // Relative days may have passed by viewing time.
    unwanted: /today|tomorrow|yesterday|tonight|this (?:morning|afternoon|evening)|!/i,
  },
  es: {
    words: { min: 20, max: 37 },
    gaps: SPANISH_GAPS,
    appointment: 'jueves 12 de marzo a las 2:30 PM',
    // The same, and everything that is not formal.
    unwanted: /\b(?:tú|tu|tus|te|ti|contigo|hoy|mañana|ayer)\b|[!¡]/i,
  },
} as const;
const texts = all.flatMap(({ slug, context, script, page_title, script_es, page_title_es }) => [
  { slug, context, language: 'en' as const, script, pageTitle: page_title },
  { slug, context, language: 'es' as const, script: script_es ?? '', pageTitle: page_title_es ?? '' },
]);

describe.each(texts)('$slug in $language', ({ context, language, script, pageTitle }) => {
  const { words, gaps, appointment, unwanted } = LANGUAGES[language];
  const render = (text: string, values: TemplateValues, limit = SCRIPT_LIMIT) =>
    renderTemplate(text, values, limit, language);

  test('passes the check that an edited template must pass', () => {
    checkTemplate(script);
    checkTemplate(pageTitle);
  });

  test(`fits 15 seconds at the usual pace with ordinary names: ${words.min} to ${words.max} words`, () => {
    expect([SCRIPT_FIT_SECONDS, PACE.usual]).toEqual([15, 150]);
    for (const values of [full, bare, ...missingValueCombinations]) {
      for (const name of ORDINARY_NAMES) {
        const count = countWords(render(script, { ...values, organization: { name } }));
        expect(count, `${name}, ${values.trade}`).toBeGreaterThanOrEqual(words.min);
        expect(count, `${name}, ${values.trade}`).toBeLessThanOrEqual(words.max);
        expect(secondsToSay(count, 150)).toBeLessThanOrEqual(15);
        expect(fitsInTime(count, PACE.usual)).toBe(true);
      }
    }
  });

  test('leaves no gap in script or title when values are missing', () => {
    for (const values of missingValueCombinations) {
      for (const text of [script, pageTitle]) {
        for (const { gap, pattern } of gaps) expect(render(text, values), gap).not.toMatch(pattern);
      }
    }
  });

  test('names everyone, even without optional values, and the appointment exactly when the context is one', () => {
    for (const [values, organization] of [
      [full, 'Blue Ridge Exteriors'],
      [bare, 'Summit Homes'],
    ] as const) {
      for (const name of ['Sarah', 'Jake', organization]) expect(render(script, values)).toContain(name);
    }
    expect(render(script, full).includes(appointment)).toBe(context === 'appointment');
  });

  test('names no relative day, and stays within the limits with 100-character names', () => {
    expect(`${script} ${pageTitle}`).not.toMatch(unwanted);
    expect(longName).toHaveLength(100);
    expect(render(script, longNames)).toContain(longName);
    expect(render(pageTitle, longNames, TITLE_LIMIT).length).toBeLessThanOrEqual(TITLE_LIMIT);
  });
});
