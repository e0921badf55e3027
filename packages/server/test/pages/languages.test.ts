import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { brandColors } from '../../src/organizations/index.ts';
import { EN } from '../../src/pages/texts/en.ts';
import { ES } from '../../src/pages/texts/es.ts';
import { forFile } from '../harness/index.ts';
import { openPages, type PageSetup } from './page-fixture.ts';

const fixture = await forFile(openPages());

/** Words that no Spanish sentence contains. */
const ENGLISH =
  /\b(the|you|your|for|from|with|please|call|text|reply|send|sent|office|at|and|is|this|of|back|again|add|play|page|link|made|march|thursday|time|on)\b/i;
const LOADED = { 'accept-language': 'es-MX,es;q=0.9,en;q=0.8' };

/** Everything that a person sees, hears or shares. */
function readable(page: string): string {
  const document = page.replaceAll(/<(script|style)>.*?<\/\1>/gs, '');
  const attributes = [...document.matchAll(/\s(?:aria-label|alt|label|content|title)="([^"]*)"/g)]
    .map(([, value = '']) => value)
    .filter((value) => !/^(https?:|width=|video\.other|website|summary|image\/|noindex|\d+$)/.test(value));
  return [document.replaceAll(/<[^>]*>/g, ' ').replaceAll('\u00a0', ' '), ...attributes].join('\n');
}

const SETUP: PageSetup = {
  language: 'es',
  organization: { name: 'Techos Acme', website: 'https://acme.example/' },
  member: { title: 'asesora' },
  recipient: 'Rosa',
  context: { title: null, appointment: { starts_at: '2026-03-12T19:30:00.000Z', timezone: 'America/Chicago' } },
};

async function open(setup: PageSetup = {}, change?: (id: string) => Promise<unknown>) {
  const intro = await fixture.createIntro({ ...SETUP, ...setup });
  await change?.(intro.id);
  const response = await fetch(fixture.url + intro.path);
  return { intro, status: response.status, page: await response.text() };
}

function expectSpanish(page: string): void {
  expect(page).toContain('<html lang="es">');
  expect(readable(page)).not.toMatch(ENGLISH);
}

const post = (path: string, body: string) =>
  fetch(fixture.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    redirect: 'manual',
    body,
  });

describe('a page in Spanish', () => {
  test.each([
    ['es', 'Ver nuestros trabajos', 'asesora'],
    ['en', 'See our work', 'advisor'],
  ] as const)('shows the button and the job title in its own language (%s)', async (language, label, title) => {
    const { page } = await open({
      language,
      member: { title: 'advisor', title_es: 'asesora' },
      action: { label: 'See our work', labelEs: 'Ver nuestros trabajos', url: 'https://acme.example/gallery' },
    });
    const text = readable(page);
    expect(text).toContain(label);
    expect(text).toContain(title);
    expect(text).not.toContain(language === 'es' ? 'See our work' : 'Ver nuestros trabajos');
    expect(text).not.toContain(language === 'es' ? 'advisor' : 'asesora');
  });

  test('shows the only label and job title that the organization has', async () => {
    const action = { label: 'See our work', url: 'https://acme.example/gallery' };
    const text = readable((await open({ member: { title: 'advisor' }, action })).page);
    expect(text).toContain('See our work');
    expect(text).toContain('advisor');
  });

  test('is Spanish in every word, in its link preview and in its calendar file', async () => {
    const { intro, page } = await open();
    expectSpanish(page);
    const text = readable(page);
    for (const part of [
      'Unas palabras de Ana',
      'Para Rosa',
      'Jueves, 12 de marzo, 2:30 p.m.',
      'Hora de verano central',
      '5 de marzo de 2026',
      'Nos vemos entonces',
      'Un video breve de Ana Ng, de Techos Acme.',
    ])
      expect(text).toContain(part);
    expect(page).toContain('<meta property="og:locale" content="es_US">');
    expect(page).toContain('<meta property="og:title" content="Unas palabras de Ana">');
    const calendar = await (await fetch(`${fixture.url}${intro.path}/appointment.ics`)).text();
    expect(calendar).toContain('¿Preguntas? Llame al');
  });

  test('without an appointment, a member phone or an office', async () => {
    const { page } = await open({ context: null, member: { phone: null }, organization: { name: 'Techos Acme' } });
    expectSpanish(page);
    expect(readable(page)).toContain('Muchas gracias');
  });

  test.each([
    ['was cancelled', 410, "status = 'cancelled'", 'Techos Acme'],
    ['has expired', 410, "status = 'expired'", 'Techos Acme'],
    ['was taken down', 200, 'taken_down_at = now()', 'Techos Acme está para ayudarle'],
  ])('is Spanish once it %s', async (_why, expected, change, part) => {
    const { status, page } = await open({ status: 'sent' }, (id) =>
      fixture.database.query(`update intros set ${change} where id = $1`, [id]),
    );
    expect(status).toBe(expected);
    expectSpanish(page);
    expect(readable(page)).toContain(part);
  });

  test('confirms an opt-out and explains a question without a text in Spanish', async () => {
    const { intro } = await open();
    expectSpanish(await (await post(`${intro.path}/reply`, 'reply=question&message=')).text());
    expectSpanish(await (await post(`${intro.path}/opt-out`, '')).text());
  });

  test('stores a reply with the label that it shows', async () => {
    const label = async (setup: PageSetup) => {
      const { intro, page } = await open(setup);
      await post(`${intro.path}/reply`, 'reply=confirm');
      const [stored] = await fixture.database.sql<{ label: string }>`select label from intro_replies
        where intro_id = ${intro.id}`;
      expect(page).toContain(`<bdi>${stored?.label}</bdi>`);
      return stored?.label;
    };
    expect(await label({})).toBe('Nos vemos entonces');
    // The organization's labels are in its own language.
    const organization = { name: 'Techos Acme', reply_confirm: 'Ahí nos vemos' };
    expect(await label({ organization: { ...organization, language: 'es' } })).toBe('Ahí nos vemos');
    expect(await label({ organization: { ...organization, language: 'en' } })).toBe('Nos vemos entonces');
    expect(await label({ organization, language: 'en' })).toBe('Ahí nos vemos');
  });
});

test.each([
  [LOADED, 'es'],
  [{ 'accept-language': 'de, es-419;q=0.5, en;q=0.4' }, 'es'],
  [{ 'accept-language': 'en, es;q=0.9' }, 'en'],
  [{ 'accept-language': 'es;q=0, fr' }, 'en'],
  [{}, 'en'],
])('an unknown link is explained in the language of the browser: %j', async (headers, language) => {
  const response = await fetch(`${fixture.url}/i/AAAAAAAAAAAA`, { headers });
  expect(response.status).toBe(404);
  expect(await response.text()).toContain(`<html lang="${language}">`);
});

test('every text is translated', () => {
  const say = (text: unknown) => (typeof text === 'function' ? String(text(...Array(text.length).fill('x'))) : text);
  const same = Object.entries(EN).filter(([name, text]) => say(text) === say(ES[name as keyof typeof ES]));
  // Names of products, and texts that consist of names.
  expect(same.map(([name]) => name)).toEqual(['calendarFile', 'google', 'outlook', 'eventName', 'yourReply']);
});

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
