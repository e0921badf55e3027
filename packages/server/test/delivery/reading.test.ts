import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readReply } from '../../src/delivery/inbound/rules.ts';

/** Written for this test: a label, a tab and the text. `\n` is a line break. */
const LABELLED = readFileSync(join(import.meta.dirname, 'labelled-replies.txt'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => {
    const [label = '', text = ''] = line.split('\t');
    return { label, text: text.replaceAll(String.raw`\n`, '\n') };
  });

function read(text: string): string {
  const reading = readReply(text);
  return typeof reading === 'string' ? reading : reading.keyword;
}

const withLabel = (label: string) => LABELLED.filter((one) => one.label === label).map(({ text }) => text);
const percent = (part: number, whole: number): number => Math.round((10_000 * part) / whole) / 100;

describe('labelled replies', () => {
  const optOuts = withLabel('stop');
  const replies = withLabel('reply');

  test('are at least 600, and half of them are ordinary replies', () => {
    expect(new Set(LABELLED.map(({ text }) => text)).size).toBe(LABELLED.length);
    expect(Math.min(optOuts.length, replies.length)).toBeGreaterThanOrEqual(300);
  });

  test('at least 99 % of the opt-outs are found, and at most 0.5 % of ordinary replies are taken for one', () => {
    const missed = optOuts.filter((text) => read(text) !== 'stop');
    const mistaken = replies.filter((text) => read(text) === 'stop');
    const asked = replies.filter((text) => read(text) === 'ask');
    const found = percent(optOuts.length - missed.length, optOuts.length);
    const wrong = percent(mistaken.length, replies.length);
    console.info(
      `Opt-outs found: ${found} % of ${optOuts.length}. Ordinary replies taken for one: ${wrong} % of ${replies.length}. ` +
        `Asked once about an ordinary reply: ${percent(asked.length, replies.length)} %.`,
    );
    expect(found, missed.join('\n')).toBeGreaterThanOrEqual(99);
    expect(wrong, mistaken.join('\n')).toBeLessThanOrEqual(0.5);
    expect(asked.length, asked.join('\n')).toBeLessThanOrEqual(replies.length / 100);
  });

  test('in doubt, the person is asked', () => {
    expect(withLabel('ask').filter((text) => read(text) !== 'ask')).toEqual([]);
  });
});

test('a long text that almost matches many phrases is read', () => {
  // A pattern that backtracks without limit would not end before the test does.
  for (const words of ['stop by ', 'dont ', 'no me ', 'remove my ', 'told my ', ', . ']) {
    expect(['ask', 'reply', 'stop']).toContain(read(words.repeat(400)));
  }
});
