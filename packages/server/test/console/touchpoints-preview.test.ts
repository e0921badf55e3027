import { measureText } from '@foreword/contract';
import { describe, expect, test } from 'vitest';
import { APPOINTMENT, introOfEvent } from '../acceptance/support/actions.ts';
import { forFile } from '../harness/index.ts';
import { openTouchpoints } from './touchpoints-fixture.ts';

const fixture = await forFile(openTouchpoints());
const recipient = { first_name: 'Dana', phone: '+14155550123' };
await introOfEvent(fixture.api, { touchpoint: 'new_appointment', recipient, context: { appointment: APPOINTMENT } });

describe('previewing a draft', () => {
  const draft = { page_title: 'Hi {{ recipient.first_name }}', script: 'Hi there', text_message: null };

  test('renders it for sample and real people, with words, seconds and segments, and writes nothing', async () => {
    const before = await fixture.snapshot();
    const script = 'Hi {{ recipient.first_name }}{% if appointment %} on {{ appointment.weekday }}{% endif %}';
    const { body } = await fixture.manager.call('POST /touchpoint-preview', { body: { ...draft, script } });
    expect(body.problems).toEqual([]);
    const [typical, minimal, real] = body.renderings;
    expect(typical).toMatchObject({ people: 'typical', script: 'Hi Sarah on Wednesday', words: 4, seconds: 1.6 });
    expect(minimal).toMatchObject({ people: 'minimal', script: 'Hi Sarah', page_title: 'Hi Sarah' });
    expect(real).toMatchObject({ people: 'real', recipient: 'Dana', member: 'Ana Ng', script: 'Hi Dana on Wednesday' });
    expect(typical?.text?.body).toContain('Acme Roofing');
    expect(typical?.text?.body).toMatch(/\/i\/\w{12}$/);
    expect(measureText(typical?.text?.body ?? '').segments).toBe(1);
    expect(body.segment_price).toBeNull();
    expect(await fixture.snapshot()).toEqual(before);
  });

  test('shows the page of each with the stored brand, to the user alone who previews it', async () => {
    const { body } = await fixture.manager.call('POST /touchpoint-preview', {
      body: { ...draft, action_label: 'Pay' },
    });
    const path = String(body.renderings[0]?.page_path);
    const page = await fixture.manager.get(path);
    const html = await page.text();
    for (const words of ['Hi Sarah', 'Acme Roofing', '<bdi>Pay</bdi>']) expect(html).toContain(words);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(await (await fixture.manager.get(String(body.renderings[2]?.page_path))).text()).toContain('Hi Dana');
    expect((await fixture.owner.get(path)).status).toBe(404);
    const { body: plain } = await fixture.manager.call('POST /touchpoint-preview', { body: draft });
    expect(await (await fixture.manager.get(String(plain.renderings[0]?.page_path))).text()).not.toContain('Pay');
  });

  test('names no recipient who was erased', async () => {
    const erased = { first_name: 'Erna', phone: '+14155550199' };
    await introOfEvent(fixture.api, { touchpoint: 'project_kickoff', recipient: erased });
    const names = async () => {
      const { body } = await fixture.manager.call('POST /touchpoint-preview', { body: draft });
      return body.renderings.filter(({ people }) => people === 'real').map(({ recipient: name }) => name);
    };
    expect(await names()).toEqual(['Erna', 'Dana']);
    expect((await fixture.api.post('/v1/recipients/erase', { phone: erased.phone })).status).toBe(202);
    await expect.poll(names).toEqual(['Dana']);
  });

  test('reports each problem with its field and line, and renders the valid parts', async () => {
    const body = { page_title: '{{ trade', script: 'One\ntwo {% fi %}', text_message: '{{ unknown }}' };
    const { body: answer } = await fixture.manager.call('POST /touchpoint-preview', { body });
    expect(answer.problems.map(({ field, line }) => [field, line])).toEqual([
      ['script', 2],
      ['page_title', 1],
      ['text_message', 1],
    ]);
    expect(answer.renderings[0]).toMatchObject({ script: null, page_title: null, page_path: null, text: null });
  });

  test('renders a draft in Spanish, with the page’s own title if it has none', async () => {
    const spanish = {
      page_title: null,
      script: 'El {{ appointment }}, {{ trade }}',
      text_message: null,
      language: 'es',
    } as const;
    const { body } = await fixture.manager.call('POST /touchpoint-preview', { body: spanish });
    expect(body.problems).toEqual([]);
    expect(body.renderings[0]).toMatchObject({
      page_title: 'Unas palabras de Jake',
      script: 'El miércoles 12 de marzo a las 3:30 PM, techo',
    });
    expect(body.renderings[0]?.text?.body).toContain('tiene un breve video personal para usted');
  });

  test('renders an English script as it is read to a recipient who gets the rest in Spanish', async () => {
    const mixed = {
      page_title: 'Nos vemos el {{ appointment.weekday }}',
      script: 'See you on {{ appointment.weekday }}',
      text_message: null,
      ...({ language: 'es', script_language: 'en' } as const),
    };
    const { body } = await fixture.manager.call('POST /touchpoint-preview', { body: mixed });
    expect(body.renderings[0]).toMatchObject({
      page_title: 'Nos vemos el miércoles',
      script: 'See you on Wednesday',
      text: { body: expect.stringContaining('tiene un breve video personal para usted') },
    });
  });

  test('warns of a title that very long names would break', async () => {
    const { body } = await fixture.manager.call('POST /touchpoint-preview', {
      body: { ...draft, page_title: '{{ recipient.first_name }} and {{ member.first_name }}' },
    });
    expect(body.problems).toEqual([]);
    expect(body.warnings.map(({ field }) => field)).toEqual(['page_title']);
  });

  test('finds members who would exceed the time, by pace and with the longest names', async () => {
    await fixture.database.sql`update members set words_per_minute = 100 where first_name = 'owner'
      and organization_id = ${fixture.organization.id}`;
    const script = `{{ recipient.first_name }} ${'word '.repeat(30)}`;
    const { body } = await fixture.manager.call('POST /touchpoint-fit', { body: { script } });
    expect(body).toMatchObject({
      limit_seconds: 15,
      end_seconds: 30,
      max_words: 37,
      active_members: 4,
      checked: 4,
      longest_recipient: 'Dana',
      words: 31,
    });
    expect(body.over).toMatchObject([{ name: 'owner Team', words_per_minute: 100, is_own_pace: true, seconds: 18.6 }]);
  });

  test('checks no member while the script has a problem', async () => {
    const { status, body } = await fixture.manager.call('POST /touchpoint-fit', { body: { script: '{{ unknown }}' } });
    expect([status, body.problem?.line, body.over]).toEqual([200, 1, []]);
  });
});
