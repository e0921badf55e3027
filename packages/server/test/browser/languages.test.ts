import { expect, test } from 'vitest';
import { openTeam } from '../console/team-fixture.ts';
import { forFile } from '../harness/index.ts';
import { openPages } from '../pages/page-fixture.ts';
import { openConsoleTests, openTestPage } from './console-test-page.ts';
import { button, expectAccessible, untilVideo } from './page-actions.ts';
import { makeVideo } from './video.ts';

const PHONE = { width: 390, height: 844 };
/** Words that no Spanish sentence contains. */
const ENGLISH = /\b(the|your|for|from|with|please|call|text|reply|send|office|this|back|again|add|play)\b/i;

const video = makeVideo();
const pages = await forFile(openPages());
const { fixture, browser, open } = await openConsoleTests(openTeam());

test.each(['light', 'dark'] as const)(
  'a page in Spanish on a phone, %s: replies, details and opt-out',
  async (colorScheme) => {
    const intro = await pages.createIntro({
      ...video,
      language: 'es',
      recipient: 'Rosa',
      organization: { name: 'Techos Acme' },
      member: { title: 'asesora' },
      context: { title: null, appointment: { starts_at: '2026-03-12T19:30:00.000Z', timezone: 'America/Chicago' } },
    });
    const { page } = await openTestPage(browser, { viewport: PHONE, colorScheme, reducedMotion: 'reduce' });
    await page.goto(pages.url + intro.path);
    const expectSpanish = async () => {
      expect(await page.evaluate('document.documentElement.lang')).toBe('es');
      expect(await page.evaluate('document.body.innerText')).not.toMatch(ENGLISH);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width);
      await expectAccessible(page);
    };
    await page.getByText('Jueves, 12 de marzo, 2:30 p.m.').waitFor();
    await page.locator('.check > summary').click();
    await expectSpanish();
    await button(page, /^Reproducir el video/).click();
    await untilVideo(page, 'ended');
    await button(page, 'Ver de nuevo').waitFor();
    await button(page, 'Nos vemos entonces').click();
    await page.getByText('Enviado a Ana').waitFor();
    await expectSpanish();
    await button(page, 'No recibir más mensajes de Techos Acme').click();
    await page.getByText('No recibirá más mensajes de texto').waitFor();
    await expectSpanish();
  },
);

test('an owner edits and removes the Spanish script of a touchpoint', async () => {
  const slug = 'project_update';
  const { page } = await open(`/touchpoints/${slug}`, { device: { viewport: PHONE, reducedMotion: 'reduce' } });
  const script = page.getByRole('textbox', { name: 'Script', exact: true });
  await script.waitFor();
  await page.getByRole('radio', { name: 'Spanish' }).check({ force: true });
  await page.locator('.script-text', { hasText: 'le habla Jake' }).waitFor();
  await expectAccessible(page);
  await button(page, 'Remove the Spanish script').click();
  await page.getByText('No script in Spanish.').waitFor();
  // The member reads English; the recipient gets Spanish.
  await page.locator('.quote:lang(en) .script-text', { hasNotText: 'le habla Jake' }).waitFor();
  await page.getByRole('figure', { name: 'Preview of the text' }).getByText('video personal para usted').waitFor();
  await button(page, 'Save').click();
  await page.getByText('Saved. Your changes are live.').waitFor();
  const { data } = (await fixture.api.get('/v1/touchpoints')).body;
  expect(data.find((touchpoint: { slug: string }) => touchpoint.slug === slug).languages).toEqual(['en']);
  await button(page, 'Add a Spanish script').click();
  await script.press('End');
  await page.keyboard.type(' Gracias.');
  await button(page, 'Save').click();
  await expect
    .poll(
      async () =>
        (await fixture.api.get('/v1/touchpoints')).body.data.find((one: { slug: string }) => one.slug === slug)
          .languages,
    )
    .toEqual(['en', 'es']);
});

test('a problem in a Spanish text opens it, wherever the owner saves', async () => {
  const { page } = await open('/touchpoints/on_my_way#page', {
    device: { viewport: PHONE, reducedMotion: 'reduce' },
    mayFail: [422],
  });
  await page.getByRole('radio', { name: 'Spanish' }).check({ force: true });
  const title = page.getByRole('textbox', { name: 'Page title', exact: true });
  await title.fill('Hola');
  await page.keyboard.type(' {{ nombre }}');
  await page.getByText('unknown variable nombre').waitFor();
  await page.getByRole('link', { name: 'Script', exact: true }).click();
  await page.getByRole('radio', { name: 'English' }).check({ force: true });
  await button(page, 'Save').click();
  await title.and(page.locator('[aria-invalid=true]')).waitFor();
  expect(await page.getByRole('radio', { name: 'Spanish' }).isChecked()).toBe(true);
});

test('the dry run says that a script in Spanish is missing', async () => {
  await fixture.database.sql`update touchpoints set script_es = null where organization_id = ${fixture.organization.id}
    and slug = 'on_my_way'`;
  const { page } = await open('/developers/try');
  const event = {
    touchpoint: 'on_my_way',
    occurred_at: '2026-03-10T09:15:00Z',
    member: { external_id: 'rep_17' },
    recipient: { first_name: 'Rosa', phone: '+14155550123', language: 'es' },
  };
  await page.getByLabel('Request body').fill(JSON.stringify(event));
  await button(page, 'Run').click();
  await page.getByText('no script in Spanish, so the member reads it in English').waitFor();
  await page.getByText('Ana va en camino').waitFor();
  await expectAccessible(page);
});
