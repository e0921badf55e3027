import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { brandColors } from '../../src/organizations/index.ts';

/** WCAG 2.2 contrast, computed independently of the code under test. */
function contrast(a: string, b: string): number {
  const luminance = (color: string) => {
    const parts = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255);
    const [red = 0, green = 0, blue = 0] = parts.map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

const BACKGROUNDS = { light: ['#faf8f4', '#ffffff'], dark: ['#151412', '#1f1d1a'] } as const;
const anyColor = fc.integer({ min: 0, max: 0xffffff }).map((n) => `#${n.toString(16).padStart(6, '0')}`);

describe('brand colors', () => {
  test('keep a contrast of 4.5 for text and 3 for outlines in light and dark mode with any chosen color', () => {
    fc.assert(
      fc.property(anyColor, (chosen) => {
        const colors = brandColors(chosen);
        for (const scheme of ['light', 'dark'] as const) {
          const { accent, edge, onAccent, accentText } = colors[scheme];
          expect(contrast(onAccent, accent)).toBeGreaterThanOrEqual(4.5);
          for (const background of BACKGROUNDS[scheme]) {
            expect(contrast(edge, background)).toBeGreaterThanOrEqual(3);
            expect(contrast(accentText, background)).toBeGreaterThanOrEqual(4.5);
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  test('are used unchanged when they are readable', () => {
    const red = '#8a2f1d';
    expect(brandColors(red).light).toEqual({ accent: red, edge: red, onAccent: '#ffffff', accentText: red });
    const yellow = '#ffd400';
    expect(brandColors(yellow).dark).toEqual({ accent: yellow, edge: yellow, onAccent: '#000000', accentText: yellow });
  });

  test('a light color keeps its hue in light mode, with dark text and a darker outline', () => {
    const { accent, edge, onAccent } = brandColors('#ffd400').light;
    expect([accent, onAccent]).toEqual(['#ffd400', '#000000']);
    expect(contrast(edge, '#ffffff')).toBeGreaterThanOrEqual(3);
  });

  test('default to green without a valid color', () => {
    expect(brandColors(null).light.accent).toBe('#2c6652');
    const tokens = readFileSync(new URL('../../../web/kit/tokens.css', import.meta.url), 'utf8');
    const dark = tokens.slice(tokens.indexOf('prefers-color-scheme: dark'));
    const { accent, onAccent, accentText } = brandColors(null).dark;
    expect(dark).toContain(`--accent: ${accent};\n    --on-accent: ${onAccent};\n    --accent-text: ${accentText};`);
    for (const none of ['', 'red', '#fff', '#12345g', '#1234567', 'url(x)'])
      expect(brandColors(none)).toEqual(brandColors(null));
  });
});
