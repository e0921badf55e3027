import { describe, expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import { APPOINTMENT, anEvent, createIntro, introOfEvent, sendEvent, settled } from './support/actions.ts';
import { openPhone } from './support/recorder.ts';
import { openService } from './support/service.ts';

const fixture = await forFile(openService());
const spanish = await fixture.newOrganization({ name: 'Techos Acme' });
await fixture.run('org', 'set', spanish.id, '--language', 'es');

const recipient = (language?: unknown) => ({ first_name: 'Rosa', phone: '+14155550123', language });

describe("a recipient's language", () => {
  test.each([
    ['en', 'en'],
    [undefined, 'es'],
  ])('is taken from a Spanish organization unless it is sent, for events too: %j means %s', async (sent, stored) => {
    const intro = await createIntro(spanish.api, { recipient: recipient(sent), instructions: { script: 'Hola.' } });
    expect([intro.recipient.language, intro.instructions.script_language]).toEqual([stored, stored]);
    const { id } = await sendEvent(spanish.api, { recipient: recipient(sent) });
    const event = await settled(spanish.api, id);
    expect((await spanish.api.get(`/v1/intros/${event.intro}`)).body.recipient.language).toBe(stored);
  });

  test("stays when the organization's language changes", async () => {
    const other = await fixture.newOrganization({ name: 'Other' });
    const { id } = await createIntro(other.api, { recipient: recipient() });
    await fixture.run('org', 'set', other.id, '--language', 'es');
    expect((await other.api.get(`/v1/intros/${id}`)).body.recipient.language).toBe('en');
  });
});

test("the page of the recorder is in the organization's language, with the script of that language alone", async () => {
  const { id } = await createIntro(spanish.api, { recipient: recipient('en'), instructions: { script: 'Hi Rosa.' } });
  const html = await (await (await openPhone(fixture, id)).page()).text();
  expect(html).toContain('<html lang="es"');
  expect(html).toContain('<title>Grabar un video · Techos Acme</title>');
  expect(html).toContain('<h1>Para Rosa</h1>');
  expect(html).toContain('<p lang="en">Hi Rosa.</p>');
  expect(html.match(/src="\/assets\/[^"]*\.js"/g)).toEqual([expect.stringContaining('recorder-es-')]);
});

test('`org create --language` sets the language, and rejects others', async () => {
  const create = ['org', 'create', '--name', 'Casa', '--industry', 'real_estate'];
  expect(await fixture.run(...create, '--language', 'es')).toMatchObject({ language: 'es' });
  expect(await fixture.run(...create)).toMatchObject({ language: 'en' });
  await expect(fixture.run(...create, '--language', 'fr')).rejects.toThrow('--language');
});

describe('an event for a recipient who prefers Spanish', () => {
  const event = (changes: object = {}) => ({
    touchpoint: 'new_appointment',
    recipient: recipient('es'),
    context: { appointment: APPOINTMENT, trade: 'windows' },
    ...changes,
  });

  test('gets the Spanish script and title, with the date and the trade in Spanish', async () => {
    const intro = await introOfEvent(fixture.api, event());
    expect(intro.instructions.script_language).toBe('es');
    expect(intro.instructions.script).toContain(
      'miércoles 12 de marzo a las 2:30 PM. Juntos revisaremos el proyecto de ventanas',
    );
    expect(intro.context.title).toBe('Rosa, conozca a Ana antes de su visita');
    const dryRun = (await fixture.api.post('/v1/dry_run', anEvent(event()))).body;
    expect(dryRun.intro).toMatchObject({
      recipient: { language: 'es' },
      context: { title: intro.context.title },
      instructions: { script: intro.instructions.script, script_language: 'es' },
    });
  });

  test('gets the English script if the touchpoint has none in Spanish, and the title of the page', async () => {
    const other = await fixture.newOrganization({ name: 'English only' });
    await fixture.database.sql`update touchpoints set script_es = null, page_title_es = null
      where organization_id = ${other.id} and slug = 'new_appointment'`;
    const intro = await introOfEvent(other.api, event());
    expect(intro).toMatchObject({ recipient: { language: 'es' }, instructions: { script_language: 'en' } });
    expect(intro.instructions.script).toContain('on Wednesday, March 12, at 2:30 PM');
    expect(intro.context.title).toBeNull();
    const { data } = (await other.api.get('/v1/touchpoints')).body;
    const languages = Object.fromEntries(
      data.map(({ slug, languages }: { slug: string; languages: string[] }) => [slug, languages]),
    );
    expect(languages).toMatchObject({ new_appointment: ['en'], project_kickoff: ['en', 'es'] });
  });
});
