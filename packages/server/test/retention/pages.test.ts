import { expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import { openPages, type PageIntro } from '../pages/page-fixture.ts';

const fixture = await forFile(openPages());

async function responsesOf(intro: PageIntro): Promise<readonly number[]> {
  const paths = [intro.path, intro.videoPath, `${intro.path}/poster.jpg`];
  const responses = await Promise.all(paths.map((path) => fetch(fixture.url + path, { redirect: 'manual' })));
  return responses.map(({ status }) => status);
}

const removeVideo = (intro: PageIntro) =>
  fixture.database.query('update recordings set deleted_at = now() where intro_id = $1', [intro.id]);

test('a page whose video was removed answers 410, with the name and the number of the organization', async () => {
  const [intro, other] = [await fixture.createIntro({ status: 'sent' }), await fixture.createIntro({ status: 'sent' })];
  expect(await responsesOf(intro)).toEqual([200, 200, 200]);
  await removeVideo(intro);
  expect(await responsesOf(intro)).toEqual([410, 410, 410]);
  const html = await (await fetch(fixture.url + intro.path)).text();
  expect(html).toContain('Acme Roofing');
  expect(await responsesOf(other)).toEqual([200, 200, 200]);
});

test('a page that was taken down still says so', async () => {
  const intro = await fixture.createIntro({ status: 'sent' });
  await fixture.database.query('update intros set taken_down_at = now() where id = $1', [intro.id]);
  await removeVideo(intro);
  const page = await fetch(fixture.url + intro.path);
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('took this video down')]);
});

test('the link of a removed intro answers 410 in the language of the organization, and an unknown one 404', async () => {
  const intro = await fixture.createIntro({ status: 'sent', recipient: 'Zelda', organization: { language: 'es' } });
  await fixture.database.query('delete from recordings where intro_id = $1', [intro.id]);
  await fixture.database.query('delete from intros where id = $1', [intro.id]);
  expect(await responsesOf(intro)).toEqual([410, 410, 410]);
  const html = await (await fetch(fixture.url + intro.path)).text();
  expect(html).toContain('lang="es"');
  expect(html).not.toContain('Zelda');
  const unknown = `${intro.path.slice(0, -4)}AAAA`;
  expect((await fetch(fixture.url + unknown)).status).toBe(404);
});
