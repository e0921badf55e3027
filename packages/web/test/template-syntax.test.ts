import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findPills } from '../console/pages/touchpoints/template/pills.ts';
import { closeConditions, readSyntax, type TextChange } from '../console/pages/touchpoints/template/syntax.ts';

const PATHS = ['recipient.first_name', 'appointment', 'appointment.time', 'trade'];
const labels = (text: string) => findPills(text, PATHS).map(({ label }) => label);
const problems = (text: string) =>
  readSyntax(text).problems.map(({ kind, tag }) => [kind, text.slice(tag.from, tag.to), tag.from]);

function apply(text: string, changes: readonly TextChange[]): string {
  // At one place, deletes before it inserts.
  return changes
    .toSorted((a, b) => b.from - a.from || (b.to ?? b.from) - (a.to ?? a.from))
    .reduce((now, { from, to = from, insert = '' }) => now.slice(0, from) + insert + now.slice(to), text);
}

/** The text after an edit of one part, with its conditions closed. */
function edit(before: string, from: number, to: number, insert: string): string {
  const after = before.slice(0, from) + insert + before.slice(to);
  const moved = (at: number) => {
    if (at < from) return at;
    return at >= to ? at + insert.length - (to - from) : from + insert.length;
  };
  return apply(after, closeConditions(before, after, moved));
}

const remove = (text: string, part: string) => edit(text, text.indexOf(part), text.indexOf(part) + part.length, '');

test('known variables and closed conditions are pills; other code stays text', () => {
  expect(labels('Hi {{recipient.first_name}}, {{ trade | default: "home" }} {{ trade | upcase }}')).toEqual([
    'Recipient: first name',
    'Trade, or “home”',
    'Trade, upcase',
  ]);
  expect(labels('{% if appointment %} at {{ appointment.time }}{% else %}soon{% endif %}')).toEqual([
    'If appointment',
    'Time',
    'Otherwise',
    'End if',
  ]);
  expect(labels('{% unless trade %}a{% endunless %}{%- if trade == "doors" -%}b{%- endif -%}')).toEqual([
    'If no trade',
    'End if',
    'If trade == "doors"',
    'End if',
  ]);
  expect(labels('{{ recipient.frist_name }} {% assign a = 1 %} {% if trade %} {{ trade')).toEqual([]);
});

test('a tag without its counterpart is found at its position', () => {
  expect(problems('Hi {% if trade %} there')).toEqual([['unclosed', '{% if trade %}', 3]]);
  expect(problems('Hi{% endif %} {% else %}')).toEqual([
    ['unopened', '{% endif %}', 2],
    ['unopened', '{% else %}', 14],
  ]);
  expect(problems('{% if trade %}{% endunless %}{% endif %}')).toEqual([['unopened', '{% endunless %}', 14]]);
  expect(problems('Hi {{ trade and {% if trade %}a{% endif %}')).toEqual([['braces', '{{', 3]]);
  expect(problems('{% raw %}{% if %}{% endraw %}{% comment %}{% else %}{% endcomment %}')).toEqual([]);
});

test('deleting one tag of a condition deletes the others, and keeps the text', () => {
  const text = 'a {% if trade %}b{% else %}c{% endif %} d';
  expect(remove(text, '{% endif %}')).toBe('a bc d');
  expect(remove(text, '{% if trade %}')).toBe('a bc d');
  expect(remove(text, '{% else %}')).toBe('a {% if trade %}bc{% endif %} d');
  const nested = '{% if trade %}{% if appointment %}x{% endif %}{% endif %}';
  expect(remove(nested, '{% if appointment %}')).toBe('{% if trade %}x{% endif %}');
});

test('a typed opening tag is closed, and a typed closing tag without an opening one is deleted', () => {
  expect(edit('{% i %}', 4, 4, 'f')).toBe('{% if %}{% endif %}');
  expect(edit('{% if %}{% endif %}', 4, 5, '')).toBe('{% i %}');
  expect(edit('Hi {% endi %}', 10, 10, 'f')).toBe('Hi ');
});

test('pasted problems stay until the user fixes them', () => {
  const pasted = 'Hi {% if trade %} there';
  expect(edit(pasted, 0, 2, 'Hello')).toBe('Hello {% if trade %} there');
  expect(edit(pasted, pasted.length, pasted.length, '{% endif %}')).toBe(`${pasted}{% endif %}`);
});

test('no edit of a valid template leaves a condition open', () => {
  const piece = fc.constantFrom(
    'a',
    ' ',
    '{% if trade %}',
    '{% else %}',
    '{% endif %}',
    '{% unless trade %}',
    '{{ trade }}',
  );
  const pieces = fc.array(piece, { maxLength: 8 }).map((all) => all.join(''));
  fc.assert(
    fc.property(pieces, fc.nat(), fc.nat(), pieces, (start, a, b, insert) => {
      const before = apply(
        start,
        closeConditions('', start, () => -1),
      );
      fc.pre(readSyntax(before).problems.length === 0);
      const [from, to] = [a % (before.length + 1), b % (before.length + 1)].sort((x, y) => x - y) as [number, number];
      const conditions = readSyntax(edit(before, from, to, insert)).problems.filter(({ kind }) => kind !== 'braces');
      // Half of a deleted tag is text, which shows as a problem of its braces.
      if (readSyntax(before.slice(0, from) + insert + before.slice(to)).problems.every(({ kind }) => kind !== 'braces'))
        expect(conditions).toEqual([]);
    }),
  );
});
