import fc from 'fast-check';
import { Context, Liquid } from 'liquidjs';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  checkTemplate,
  compileSimple,
  renderTemplate,
  SOURCE_LIMIT,
  scopeOf,
  TemplateProblem,
  type TemplateValues,
  templateVariables,
} from '../../src/touchpoints/template.ts';

const LIMIT = 1_000;
const values: TemplateValues = {
  recipient: { first_name: 'Sarah', last_name: 'Miller' },
  member: { first_name: 'Jake', last_name: 'Turner' },
  organization: { name: 'Summit Roofing' },
  appointment: { startsAt: new Date('2026-03-12T18:30:00Z'), timezone: 'America/New_York' },
  trade: 'roofing',
  lane: 'retail',
};
const bare: TemplateValues = {
  ...values,
  recipient: { first_name: 'Sarah', last_name: null },
  appointment: null,
  trade: null,
  lane: null,
};

function problemOf(action: () => unknown): TemplateProblem {
  try {
    action();
  } catch (error) {
    if (error instanceof TemplateProblem) return error;
    throw error;
  }
  throw new Error('the template was accepted');
}

const checked = (text: string) => problemOf(() => checkTemplate(text));
const rendered = (text: string) => problemOf(() => renderTemplate(text, values, LIMIT));

describe('simple templates', () => {
  const variable = fc.constantFrom(...templateVariables.map(({ path }) => path));
  const space = fc.constantFrom('', ' ', '\n ');
  const { template } = fc.letrec<{ template: string; piece: string }>((tie) => ({
    template: fc.array(tie('piece'), { maxLength: 4 }).map((pieces) => pieces.join('')),
    piece: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom('Hi ', '\n', ' }} ', '{ x }', '%}', 'año 🙂'),
      fc
        .tuple(variable, fc.constantFrom('', ' | truncate: 60', '|default: "home, año"'), space)
        .map(([path, filter, around]) => `{{${around}${path}${filter}${around}}}`),
      fc
        .tuple(variable, tie('template'), fc.option(tie('template')))
        .map(
          ([path, given, otherwise]) =>
            `{% if ${path} %}${given}${otherwise === null ? '' : `{%else%}${otherwise}`}{% endif %}`,
        ),
    ),
  }));

  test('are rendered as LiquidJS does', () => {
    const liquid = new Liquid({ ownPropertyOnly: true });
    fc.assert(
      fc.property(template, fc.constantFrom(values, bare), (text, given) => {
        const scope = scopeOf(given, 'en');
        expect(compileSimple(text)?.(scope)).toBe(liquid.parseAndRenderSync(text, scope));
      }),
      { numRuns: 500 },
    );
  });

  test('a value that is too long is left to LiquidJS', () => {
    expect(compileSimple('Hi {{ trade | truncate: 6 }}')?.(scopeOf(values, 'en'))).toBeNull();
    expect(renderTemplate('Hi {{ trade | truncate: 6 }}', values, LIMIT)).toBe('Hi roo...');
  });

  test.each([
    '{{- trade }}',
    '{{ trade | upcase }}',
    '{{ trade | default: lane }}',
    '{{ trade | truncate: 60 | upcase }}',
    "{{ 'a' }}",
    '{{ unknown }}',
    "{{ recipient['first_name'] }}",
    "{% if trade == 'roofing' %}a{% endif %}",
    '{% if trade %}a{% elsif lane %}b{% endif %}',
    '{% if trade %}a{% else %}b{% else %}c{% endif %}',
    '{% if trade %}a',
    'a{% endif %}',
    '{% else %}',
    '{% unless trade %}a{% endunless %}',
    '{% # a comment %}',
  ])('%s is left to LiquidJS', (text) => {
    expect(compileSimple(text)).toBeNull();
  });
});

describe('rendering', () => {
  test.each([
    ['{{ recipient.first_name }} {{ recipient.last_name }}', 'Sarah Miller', 'Sarah'],
    ['{{ member.first_name }} {{ member.last_name }}', 'Jake Turner', 'Jake Turner'],
    ['{{ organization.name }}', 'Summit Roofing', 'Summit Roofing'],
    ['the {{ trade | default: "exterior" }} work', 'the roofing work', 'the exterior work'],
    ['{% if lane %}{{ lane }}{% else %}both{% endif %}', 'retail', 'both'],
    ['See you{% if appointment %} {{ appointment.weekday }}{% endif %}.', 'See you Thursday.', 'See you.'],
    ['At {{ appointment.time | default: "noon" }}', 'At 2:30 PM', 'At noon'],
    ['{% unless trade == "roofing" %}no {% endunless %}roof', 'roof', 'no roof'],
    ['{% case lane %}{% when "retail", "x" %}r{% else %}other{% endcase %}', 'r', 'other'],
    ['When: {{ appointment }}', 'When: Thursday, March 12 at 2:30 PM', 'When:'],
    ['{% assign name = recipient.first_name | upcase %}Hi {{ name }}', 'Hi SARAH', 'Hi SARAH'],
    ['{% for i in (1..3) %}{{ forloop.index }}{{ i }} {% endfor %}', '11 22 33', '11 22 33'],
    ['{% assign s = recipient.first_name %}[{{ s.constructor }}{{ s.__proto__ }}{{ s.big }}]', '[]', '[]'],
    ['\n  Hi,\n\n  {{ trade }}  you\n', 'Hi,\n\n  roofing  you', 'Hi,\n\n    you'],
  ])('%j renders as %j, and as %j without optional values', (text, withAll, withoutOptional) => {
    checkTemplate(text);
    expect(renderTemplate(text, values, LIMIT)).toBe(withAll);
    expect(renderTemplate(text, bare, LIMIT)).toBe(withoutOptional);
  });

  test('every listed variable renders a value', () => {
    for (const { path, says } of templateVariables) {
      const text = `{{ ${path} }}`;
      checkTemplate(text);
      expect(renderTemplate(text, values, LIMIT), path).toMatch(/^[A-Za-z0-9:, ]+$/);
      expect(says).not.toBe('');
    }
  });

  test.each([
    ['2026-03-08T06:59:00Z', 'America/New_York', 'Sunday, March 8 at 1:59 AM'],
    ['2026-03-08T07:30:00Z', 'America/New_York', 'Sunday, March 8 at 3:30 AM'],
    ['2026-03-08T07:30:00Z', 'America/Phoenix', 'Sunday, March 8 at 12:30 AM'],
    ['2026-03-08T07:30:00Z', 'America/Los_Angeles', 'Saturday, March 7 at 11:30 PM'],
    ['2026-11-01T05:30:00Z', 'America/New_York', 'Sunday, November 1 at 1:30 AM'],
    ['2026-11-01T06:30:00Z', 'America/New_York', 'Sunday, November 1 at 1:30 AM'],
    ['2026-07-01T16:00:00Z', 'America/Chicago', 'Wednesday, July 1 at 11:00 AM'],
    ['2026-07-01T16:00:00Z', 'Pacific/Kiritimati', 'Thursday, July 2 at 6:00 AM'],
    ['2026-07-01T16:00:00Z', 'Asia/Kathmandu', 'Wednesday, July 1 at 9:45 PM'],
    ['2026-01-01T00:00:00Z', 'UTC', 'Thursday, January 1 at 12:00 AM'],
    ['2026-01-01T12:00:00Z', 'utc', 'Thursday, January 1 at 12:00 PM'],
  ])('formats %s in %s as %j', (startsAt, timezone, words) => {
    const appointment = { startsAt: new Date(startsAt), timezone };
    const text = '{{ appointment.weekday }}, {{ appointment.date }} at {{ appointment.time }}';
    expect(renderTemplate(text, { ...values, appointment }, LIMIT)).toBe(words);
  });

  test('rendering a template for several time zones does not mix them up', () => {
    const startsAt = new Date('2026-07-01T16:00:00Z');
    const times = ['America/New_York', 'America/Denver', 'America/New_York'].map((timezone) =>
      renderTemplate('{{ appointment.time }}', { ...values, appointment: { startsAt, timezone } }, LIMIT),
    );
    expect(times).toEqual(['12:00 PM', '10:00 AM', '12:00 PM']);
  });

  test('never evaluates a value as template code', () => {
    const first_name = '{{ member.last_name }}{% if lane %}<b>&amp;';
    const hostile = { ...values, recipient: { first_name, last_name: null } };
    expect(renderTemplate('Hi {{ recipient.first_name }}', hostile, LIMIT)).toBe(`Hi ${first_name}`);
    expect(renderTemplate('{% assign n = recipient.first_name %}{{ n | append: "" }}', hostile, LIMIT)).toBe(
      first_name,
    );
  });

  test('variables do not leak from one render to the next', () => {
    const text = '{% if trade %}{% assign word = "seen" %}{% endif %}[{{ word }}]';
    expect(renderTemplate(text, values, LIMIT)).toBe('[seen]');
    expect(renderTemplate(text, bare, LIMIT)).toBe('[]');
  });

  test('applies the limit in code points after trimming, and refuses one more', () => {
    const name = '\u{1F3E0}'.repeat(10);
    const house = { ...values, recipient: { first_name: name, last_name: null } };
    expect(renderTemplate('  {{ recipient.first_name }}  ', house, 10)).toBe(name);
    const problem = problemOf(() => renderTemplate('{{ recipient.first_name }}.', house, 10));
    expect(problem.message).toBe('the rendered text is too long: 11 characters; the limit is 10');
    expect(problem.line).toBeNull();
  });

  test('renders a tab as a space', () => {
    expect(renderTemplate('\tHi\t{{ recipient.first_name }}', values, LIMIT)).not.toContain('\t');
  });

  test('refuses text that renders empty', () => {
    expect(problemOf(() => renderTemplate(' {{ trade }} ', bare, LIMIT)).message).toBe('the rendered text is empty');
  });

  test('renders correctly with more templates than the cache holds', () => {
    const texts = Array.from({ length: 1_500 }, (_, index) => `${index} {{ recipient.first_name }}`);
    for (const round of [1, 2]) {
      texts.forEach((text, index) => {
        expect(renderTemplate(text, values, LIMIT), `round ${round}`).toBe(`${index} Sarah`);
      });
    }
  });
});

describe('rejects a template with a mistake, and names the line', () => {
  test.each([
    ['Hi\n{{ recipient.frist_name }}', 2, 'unknown variable recipient.frist_name; did you mean recipient.first_name?'],
    ['{{ first_name }}', 1, 'unknown variable first_name; did you mean recipient.first_name?'],
    ['{{ customer.last_name }}', 1, 'unknown variable customer.last_name; did you mean recipient.last_name?'],
    ['{{ recipient }}', 1, 'unknown variable recipient; did you mean recipient.first_name?'],
    ['{{ organisation.name }}', 1, 'unknown variable organisation.name; did you mean organization.name?'],
    ['{{ appointment.timezone }}', 1, 'unknown variable appointment.timezone; did you mean appointment.time?'],
    ['{{ wombat }}', 1, 'unknown variable wombat'],
    ['\n\n{% if trad %}x{% endif %}', 3, 'unknown variable trad; did you mean trade?'],
    ['{% if trade %}\n{{ lan }}{% endif %}', 2, 'unknown variable lan; did you mean lane?'],
    ['{% if trade %}\n{% elsif lanes %}{% endif %}', 2, 'unknown variable lanes; did you mean lane?'],
    ['{% case lane %}{% when trades %}x{% endcase %}', 1, 'unknown variable trades; did you mean trade?'],
    ['{{ "x" | append: oops }}', 1, 'unknown variable oops'],
    ['{% for x in (1..oops) %}{% endfor %}', 1, 'unknown variable oops'],
    ['{% for x in (1..2) %}{% endfor %}\n{{ x }}', 2, 'unknown variable x'],
    ['{{ recipient[trade] }}', 1, 'unknown variable recipient[trade]; did you mean'],
    ['{{ recipient.first_name.constructor }}', 1, 'unknown variable recipient.first_name.constructor'],
    ['{{ __proto__ }}', 1, 'unknown variable __proto__'],
    ['{{ bbb }}\n{{ aaa }}\n{{ bbb }}', 1, 'unknown variable bbb'],
    ['{% if trade %}\n{{ aaa }}\n{% elsif bbb %}{% endif %}', 2, 'unknown variable aaa'],
    ['\n{% assign recipient = "x" %}{{ recipient.frist_name }}', 2, 'recipient is a built-in variable'],
    ['a\n{{ trade | upcas }}', 2, 'unknown filter upcas; did you mean upcase?'],
    ['{{ trade | where_exp: "x", "y" }}', 1, 'unknown filter where_exp; the filters are append,'],
    ['{{ "now" | date: "%Y" }}', 1, 'unknown filter date;'],
    ['{% if trade %}\n{% include "/etc/passwd" %}{% endif %}', 2, 'unknown tag include; the tags are assign,'],
    ['{% render "x" %}', 1, 'unknown tag render;'],
    ['{% layout "x" %}', 1, 'unknown tag layout;'],
    ['{% capture x %}{% endcapture %}', 1, 'unknown tag capture;'],
    ['a\n{% endif %}', 2, 'endif has no matching opening tag'],
    ['a\n{% if trade %}b', 2, 'tag {% if trade %} not closed'],
    ['a\n\nb {{ trade', 3, 'output "{{ trade" not closed'],
    ['a\n{{ trade | append }}', 2, 'append expect 2 arguments'],
  ])('%j', (text, line, message) => {
    const problem = checked(text);
    expect(problem.message.slice(0, `line ${line}: ${message}`.length)).toBe(`line ${line}: ${message}`);
    expect(problem.line).toBe(line);
    expect(rendered(text).message).toBe(problem.message);
  });

  test('finds a mistake that only shows without optional values', () => {
    expect(checked('{% unless trade %}\n{{ "x" | append }}{% endunless %}').line).toBe(2);
  });

  test('rejects a template that is empty or over the limit, without a line', () => {
    expect(checked(' \n ').message).toBe('the template is empty');
    checkTemplate('\u{1F3E0}'.repeat(SOURCE_LIMIT));
    const problem = checked('x'.repeat(SOURCE_LIMIT + 1));
    expect(problem.message).toBe('the template has 4001 characters; the limit is 4000');
    expect(problem.line).toBeNull();
  });
});

const doubling = '{% assign a = a | append: a %}';
const long = `{% assign a = "${'x'.repeat(1_000)}" %}${doubling.repeat(4)}`;
const HOSTILE: [string, string][] = [
  ['a huge range', '{% for i in (1..1000000000) %}{{ i }}{% endfor %}'],
  ['a range in an assignment', '{% assign r = (1..100000000) %}x'],
  ['a range below zero', '{% for i in (-1000000000..0) %}{% endfor %}'],
  ['a text that doubles in a loop', `{% assign a = "xxxxxxxx" %}{% for i in (1..60) %}${doubling}{% endfor %}{{ a }}`],
  ['a text that doubles without a loop', `{% assign a = "xxxxxxxx" %}${doubling.repeat(100)}{{ a }}`],
  [
    'a text that grows by replacing',
    `{% assign a = "xx" %}${'{% assign a = a | replace: "x", "xxxxxxxxxx" %}'.repeat(30)}{{ a }}`,
  ],
  [
    'loops in loops over one small range',
    `{% assign r = (1..300) %}${'{% for x in r %}'.repeat(6)}${'{% endfor %}'.repeat(6)}x`,
  ],
  [
    'a nested loop too fast for a time limit',
    `{% assign r = (1..60) %}${'{% for x in r %}'.repeat(2)}${'{% endfor %}'.repeat(2)}x`,
  ],
  ['a long text in a short loop', `{% for i in (1..400) %}${'x'.repeat(3_800)}{% endfor %}`],
  ['a long text in a long loop', `{% for i in (1..1500) %}${'x'.repeat(3_800)}{% endfor %}`],
  ['a loop of whitespace', `{% for i in (1..1500) %}${' '.repeat(3_800)}{% endfor %}`],
  ['a long text that replaces each character of another one', `${long}{{ a | replace: "x", a }}`],
  ['a long text between the characters of another one', `${long}{% assign b = a | split: "" | join: a %}x`],
  ['many filters', `{% for i in (1..600) %}{% assign a = "x"${' | upcase'.repeat(300)} %}{% endfor %}`],
];

/** As if a later version of LiquidJS had no limits. */
function ignoreLimitsOfLiquid(): void {
  const limiter = Object.getPrototypeOf(new Context().memoryLimit);
  vi.spyOn(limiter, 'use').mockReturnValue(undefined);
  vi.spyOn(limiter, 'check').mockReturnValue(undefined);
}

test('LiquidJS has limits of its own for memory and time, which are a second safeguard', () => {
  const text = '{% for i in (1..1000) %}{{ i }}{% endfor %}';
  expect(() => new Liquid({ memoryLimit: 100 }).parseAndRenderSync(text)).toThrow('memory alloc limit exceeded');
  expect(() => new Liquid({ renderLimit: 0.001 }).parseAndRenderSync(text)).toThrow('render limit exceeded');
});

describe('rejects a hostile template', () => {
  afterEach(() => vi.restoreAllMocks());

  test.each(HOSTILE)('%s, also without the limits of LiquidJS', (_, text) => {
    ignoreLimitsOfLiquid();
    expect(checked(text).message).toMatch(/takes too long to render|rendered text is too long/);
  });

  test('stops after two seconds, whatever takes so long', () => {
    ignoreLimitsOfLiquid();
    let calls = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => calls++ * 700);
    expect(checked('{% if lane %}a{% endif %}{% if trade %}b{% endif %}').message).toMatch(/takes too long/);
  });

  test('ranges have two numbers, because their size must be known before', () => {
    expect(checked('a\n{% assign n = "9999999" | size %}{% for i in (1..n) %}{% endfor %}').message).toBe(
      'line 2: a range must have two whole numbers, such as (1..3)',
    );
    checkTemplate('Hm.. {{ "(a..b)" }} {% for i in ( 1 .. 3 ) %}{{ i }}{% endfor %}');
  });

  test.each(HOSTILE)('%s', (_, text) => {
    const problem = checked(text);
    expect(problem.message).toMatch(/takes too long to render|rendered text is too long/);
    expect(rendered(text).message).toBe(problem.message);
  });

  test.each([
    ['tags', '{%if lane%}'.repeat(360)],
    ['brackets', `{{ ${'a['.repeat(1_900)} }}`],
    ['ranges', `{% for i in ${'('.repeat(3_000)} %}`],
    ['properties', `{{ recipient${'.a'.repeat(1_900)} }}`],
    ['filters', `{{ lane${'|upcase'.repeat(500)}|nofilter }}`],
  ])('deeply nested %s', (_, text) => {
    expect(checked(text)).toBeInstanceOf(TemplateProblem);
  });

  test('limits work, not time: a loop of the same length always passes', () => {
    const text = '{% for i in (1..300) %}{{ i }},{% endfor %}';
    for (let round = 0; round < 100; round++) checkTemplate(text);
    expect(renderTemplate(text, values, 2_000).split(',')).toHaveLength(301);
  });
});
