import fc from 'fast-check';
import { Liquid } from 'liquidjs';
import { expect, test } from 'vitest';
import { renderTemplate } from '../../src/touchpoints/template.ts';
import { type TemplateValues, templateVariables } from '../../src/touchpoints/template-values.ts';

const NO_LIMIT = 1_000_000;
const liquid = new Liquid();

/** Formats the appointment as the variables' documentation says, independently of the service. */
function formatted({ startsAt, timezone }: NonNullable<TemplateValues['appointment']>) {
  const show = (fields: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en-US', { timeZone: timezone, ...fields }).format(startsAt).replaceAll('\u202f', ' ');
  const weekday = show({ weekday: 'long' });
  const date = show({ month: 'long', day: 'numeric' });
  const time = show({ hour: 'numeric', minute: '2-digit' });
  return { weekday, date, time, toString: () => `${weekday}, ${date} at ${time}` };
}

const renderWithLiquidJs = (text: string, values: TemplateValues): string =>
  liquid
    .parseAndRenderSync(text, { ...values, appointment: values.appointment && formatted(values.appointment) })
    .trim();

const path = fc.constantFrom(...templateVariables.map((variable) => variable.path));
const filter = fc.constantFrom(
  ...['', '', '', ' | truncate: 6', ' | truncate: 40', ' | truncate: 6, "-"', ' | truncate', ' | upcase'],
  ...[' | truncate: 4 | upcase', ' | default: "you"', ' | size', ' | truncate: 40, trade'],
);
const open = fc.constantFrom('{{', '{{-', '{{ ');
const close = fc.constantFrom('}}', '-}}', ' }}');
const output = fc
  .tuple(open, path, filter, close)
  .map(([before, named, by, after]) => `${before} ${named}${by} ${after}`);
const words = fc.constantFrom('Hi ', ' and ', 'é 🏠 ', '\n', ' ', '. ');
const condition = fc.oneof(
  { weight: 4, arbitrary: path },
  path.map((named) => `${named} == "roofing"`),
  path.map((named) => `${named} and trade`),
  fc.constantFrom('true', 'nil', '"trade"', 'trade contains "roof"'),
);

const { text } = fc.letrec<{ text: string; piece: string }>((tie) => ({
  text: fc.array(tie('piece'), { maxLength: 5 }).map((pieces) => pieces.join('')),
  piece: fc.oneof(
    { maxDepth: 3 },
    words,
    output,
    fc.constantFrom('{% comment %}not {{ shown }}{% endcomment %}', '{% raw %}{{ raw }}{% endraw %}'),
    fc
      .tuple(condition, tie('text'), condition, tie('text'), tie('text'))
      .map(([one, a, two, b, c]) => `{% if ${one} %}${a}{% elsif ${two} %}${b}{% else %}${c}{% endif %}`),
    fc.tuple(condition, tie('text')).map(([one, a]) => `{%- if ${one} -%} ${a} {%- endif -%}`),
    fc.tuple(condition, tie('text')).map(([one, a]) => `{% unless ${one} %}${a}{% endunless %}`),
    fc.tuple(path, tie('text')).map(([named, a]) => `{% assign it = ${named} %}{{ it }}${a}{% if it %}!{% endif %}`),
    tie('text').map((a) => `{% for i in (1..3) %}${a}{% if i == 2 %}{% break %}{% endif %}{% endfor %}`),
  ),
}));

const name = fc.constantFrom('Dana', 'Jo', '', 'Maximilian-Alexander', '👩🏽‍🔧👩🏽‍🔧👩🏽‍🔧', '{{ trade }}', 'É<b>');
const values: fc.Arbitrary<TemplateValues> = fc.record({
  recipient: fc.record({ first_name: name, last_name: fc.option(name) }),
  member: fc.record({ first_name: name, last_name: name }),
  organization: fc.record({ name }),
  appointment: fc.option(
    fc.record({
      startsAt: fc.date({ min: new Date('1975-01-01'), max: new Date('2090-01-01'), noInvalidDate: true }),
      timezone: fc.constantFrom('America/Chicago', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'Pacific/Apia', 'UTC'),
    }),
  ),
  trade: fc.option(fc.constantFrom('roofing', '', 'siding')),
  lane: fc.option(fc.constantFrom('retail', 'insurance')),
});

test('a compiled template renders exactly what LiquidJS renders', () => {
  fc.assert(
    fc.property(text, values, (template, given) => {
      // Longer templates are refused; template.test.ts covers that.
      fc.pre(template.length < 1_500);
      const expected = renderWithLiquidJs(template, given);
      fc.pre(expected !== '' && expected.length < 1_500);
      expect(renderTemplate(template, given, NO_LIMIT)).toBe(expected);
    }),
    { numRuns: 1_000 },
  );
});
