import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openService, type ServiceFixture } from '../acceptance/support/service.ts';
import { openPages, type PageFixture } from '../pages/page-fixture.ts';
import { openChromium } from './chromium.ts';
import { signIn } from './console-browser.ts';
import { openTestPage, type TestPage } from './console-test-page.ts';
import { button, expectAccessible, untilVideo } from './page-actions.ts';
import { makeVideo } from './video.ts';

const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1280, height: 800 };
/** Words that no Spanish sentence contains. */
const ENGLISH = /\b(the|your|for|from|with|please|call|text|reply|send|office|this|back|again|add|play)\b/i;

let browser: Browser;
let pages: PageFixture;
let service: ServiceFixture;
let video: ReturnType<typeof makeVideo>;
beforeAll(async () => {
  video = makeVideo();
  browser = await openChromium();
  pages = await openPages();
  service = await openService();
  const names = ['--first-name', 'Olive', '--last-name', 'Stone', '--email', 'olive@acme.example', '--role', 'owner'];
  await service.run('member', 'create', '--org', service.organization.id, ...names);
});
afterAll(async () => {
  await browser?.close();
  await pages?.close();
  await service?.close();
});

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
    const context = await browser.newContext({ viewport: PHONE, colorScheme, reducedMotion: 'reduce' });
    const page = await context.newPage();
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
    await context.close();
  },
);

async function openConsolePage(path: string, viewport: typeof PHONE): Promise<TestPage> {
  const link = await service.run('signin', '--org', service.organization.id, '--email', 'olive@acme.example');
  const opened = await openTestPage(browser, { viewport, reducedMotion: 'reduce' });
  await signIn(opened.page, service.service.url, link.url);
  await opened.page.goto(`${service.service.url}/console/${path}`);
  return opened;
}

test.each([PHONE, DESKTOP])(
  'an owner edits and removes the Spanish script of a touchpoint at $width px',
  async (viewport) => {
    const slug = viewport === PHONE ? 'project_update' : 'project_complete';
    const { page, errors } = await openConsolePage(`touchpoints/${slug}`, viewport);
    const script = page.getByRole('textbox', { name: 'Script', exact: true });
    await script.waitFor();
    await page.getByRole('radio', { name: 'Spanish' }).check({ force: true });
    await page.locator('.preview-text', { hasText: 'le habla Jake' }).waitFor();
    await expectAccessible(page);
    await button(page, 'Remove the Spanish script').click();
    await page.getByText('No script in Spanish.').waitFor();
    await button(page, 'Save').click();
    await page.getByText('Saved. Your changes are live.').waitFor();
    const { data } = (await service.api.get('/v1/touchpoints')).body;
    expect(data.find((touchpoint: { slug: string }) => touchpoint.slug === slug).languages).toEqual(['en']);
    await button(page, 'Add a Spanish script').click();
    await script.press('End');
    await page.keyboard.type(' Gracias.');
    await button(page, 'Save').click();
    await expect
      .poll(
        async () =>
          (await service.api.get('/v1/touchpoints')).body.data.find((one: { slug: string }) => one.slug === slug)
            .languages,
      )
      .toEqual(['en', 'es']);
    expect(errors).toEqual([]);
    await page.close();
  },
);

test('the dry run says that a script in Spanish is missing', async () => {
  await service.database.query(
    "update touchpoints set script_es = null where organization_id = $1 and slug = 'on_my_way'",
    [service.organization.id],
  );
  const { page } = await openConsolePage('developers/try', DESKTOP);
  await page.getByRole('radio', { name: 'Paste JSON' }).check({ force: true });
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
  await page.close();
});

test('an owner changes the language of the organization under Brand, and the preview follows', async () => {
  const { page, errors } = await openConsolePage('brand', DESKTOP);
  await page.getByLabel('Language', { exact: true }).selectOption('Spanish');
  await page.frameLocator('iframe[title^="The recipient"]').getByText('Su cita').waitFor();
  await expectAccessible(page);
  await button(page, 'Save').click();
  await page.getByText('Brand saved').waitFor();
  const { data } = await service.run('org', 'list');
  const saved = data.find(({ id }: { id: string }) => id === service.organization.id);
  expect(saved.language).toBe('es');
  expect(errors).toEqual([]);
  await page.close();
});
