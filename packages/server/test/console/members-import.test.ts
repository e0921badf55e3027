import type { ImportLine, ImportPreview } from '@foreword/contract';
import { beforeEach, describe, expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import type { ConsoleClient } from './console-client.ts';
import { openTeam } from './team-fixture.ts';

const team = await forFile(openTeam());
/** Removes members that an earlier test added. */
beforeEach(async () => {
  const own = ['owner@acme.example', 'manager@acme.example', 'member@acme.example', 'ana@acme.example'];
  await team.database.sql`delete from members where not email = any(${own})`;
});

const HEADS = 'first_name,last_name,email,phone,external_id,lanes,role,title';

async function preview(text: string, as: ConsoleClient = team.owner): Promise<ImportPreview> {
  const { status, body, error } = await as.call('POST /members/import/preview', { body: { text } });
  expect(error).toBeUndefined();
  expect(status).toBe(200);
  return body;
}

const apply = (text: string, fingerprint: string, skip_problems = false, as: ConsoleClient = team.owner) =>
  as.call('POST /members/import', { body: { text, fingerprint, skip_problems } });

async function refusal(text: string) {
  const { status, error } = await team.owner.call('POST /members/import/preview', { body: { text } });
  return { status, field: error.field, message: error.message };
}

const readMembers = () =>
  team.database.sql<Record<string, unknown>>`select * from members where organization_id = ${team.organization.id}
    order by lower(email), id`;

const outcomes = ({ lines }: { lines: readonly ImportLine[] }) => lines.map(({ line, outcome }) => [line, outcome]);
const problemOf = ({ lines }: { lines: readonly ImportLine[] }, line: number) =>
  lines.find((one) => one.line === line)?.problem ?? null;

describe('the preview of an import', () => {
  test('lists the outcome of each line, and writes nothing', async () => {
    await team.add({ first_name: 'Same', last_name: 'Person', email: 'same@acme.example' });
    await team.add({ first_name: 'By', last_name: 'Number', email: 'old@acme.example', external_id: 'crm_9' });
    const before = await readMembers();
    const text = [
      HEADS,
      'New,Person,new@acme.example,(415) 555-0142,crm_10,retail,,estimator',
      'Same,Person,SAME@acme.example,,,,,',
      'By,Number,fresh@acme.example,,crm_9,,manager,',
      'Bad,Phone,bad@acme.example,12,,,,',
    ].join('\n');
    const shown = await preview(text);
    expect(outcomes(shown)).toEqual([
      [2, 'add'],
      [3, 'same'],
      [4, 'change'],
      [5, 'problem'],
    ]);
    expect(shown.counts).toEqual({ add: 1, change: 1, same: 1, problem: 1 });
    expect(shown.lines[0]?.changes).toContainEqual({ field: 'phone', from: null, to: '+14155550142' });
    expect(shown.lines[2]?.changes).toEqual([
      { field: 'email', from: 'old@acme.example', to: 'fresh@acme.example' },
      { field: 'role', from: 'member', to: 'manager' },
    ]);
    expect(problemOf(shown, 5)?.field).toBe('phone');
    expect(problemOf(shown, 5)?.message).toMatch(/^Must be a mobile number/);
    expect(await readMembers()).toEqual(before);
  });

  test.each([
    ['semicolons', 'First Name;Surname;E-Mail Address\nIda;Roe;ida@acme.example'],
    ['tabs', 'Given name\tFamily name\tMail\nIda\tRoe\tida@acme.example'],
    ['a byte order mark and Windows line ends', '\uFEFFFIRSTNAME,LASTNAME,EMAIL\r\nIda,Roe,ida@acme.example\r\n'],
    [
      'quotes, with commas and line breaks in them',
      '"first_name","last_name","email"\n"Ida","Roe","ida@acme.example"\n',
    ],
    [
      'another order, empty lines and columns that are not ours',
      'email,Shoe size,last,first\n\nida@acme.example,44,Roe,Ida\n\n,,,\n',
    ],
    ['line ends of two systems in one file', 'first,last,email\r\nIda,Roe,ida@acme.example\n'],
    [
      'line breaks of any system in a cell',
      '"first","last","email","note"\r\n"Ida","Roe","ida@acme.example","a\r\nb\nc\rd"\n',
    ],
    ['spaces round the cells', ' first name , last name , email \n Ida , Roe , ida@acme.example '],
  ])('reads %s', async (_what, text) => {
    const { lines } = await preview(text);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ outcome: 'add', name: 'Ida Roe', email: 'ida@acme.example' });
  });

  test('keeps a character of two code units where a part of a large file ends', async () => {
    const text = 'email,last,first\nida@acme.example,Roe,\u{20BB7}';
    const { lines } = await preview(text.padStart(16_385, '\n'));
    expect(lines[0]).toMatchObject({ outcome: 'add', name: '\u{20BB7} Roe' });
  });

  test('lists the columns, and numbers lines as in the file', async () => {
    const shown = await preview(
      'Name of pet,email,first,last,title,Title in Spanish\nRex,a@acme.example,A,B,"one\r\ntwo",uno\nRex,b@,A,B,,',
    );
    expect(shown.columns.map(({ field }) => field)).toEqual([
      null,
      'email',
      'first_name',
      'last_name',
      'title',
      'title_es',
    ]);
    expect(shown.lines.map(({ line }) => line)).toEqual([3, 4]);
  });

  test.each([
    ['no headings', 'Ida,Roe,ida@acme.example', 'headings'],
    ['an empty file', '', 'headings'],
    ['only headings', 'email,first_name\n', 'no lines below'],
    ['the same heading twice', 'email,mail\na@b.c,d@e.f', '"email" and "mail"'],
    ['a quotation mark that is never closed', 'email,first_name\n"a@b.c,Ida\nb@b.c,Bo', 'quotation mark'],
    ['too many lines', `email\n${'a@b.c\n'.repeat(10_001)}`, '10000'],
  ])('rejects %s with a reason', async (_what, text, why) => {
    const { status, field, message } = await refusal(text);
    expect([status, field]).toEqual([422, 'text']);
    expect(message).toContain(why);
  });

  test.each([
    ['without a last name', 'Ida,,ida@acme.example,,,,,', 'last_name', 'Is required'],
    ['without an email', 'Ida,Roe,,,,,,', 'email', 'Is missing'],
    ['with an invalid email', 'Ida,Roe,ida,,,,,', 'email', 'Must be an email address'],
    ['with an unknown role', 'Ida,Roe,ida@acme.example,,,,boss,', 'role', 'Must be one of'],
    ['with an unknown lane', 'Ida,Roe,ida@acme.example,,,wholesale,,', 'lanes', 'Must be retail, insurance'],
    ['with more cells than headings', 'Ida,Roe,ida@acme.example,,,,,Roofer, senior', null, 'more cells'],
    ['that takes the role of the last owner', 'owner,Team,owner@acme.example,,,,member,', 'role', 'last active owner'],
    ['with the external id of another member', 'Ana,Ng,ana@acme.example,,rep_99,,,', 'external_id', '"rep_17"'],
    ["with another member's email", 'Ana,Ng,member@acme.example,,rep_17,,,', 'email', 'Already belongs to member Team'],
  ])('reports a line %s', async (_what, line, field, says) => {
    const shown = await preview(`${HEADS}\n${line}`);
    expect(outcomes(shown)).toEqual([[2, 'problem']]);
    expect(problemOf(shown, 2)?.field).toBe(field);
    expect(problemOf(shown, 2)?.message).toContain(says);
  });

  test('reports a second line for the same member, existing or new', async () => {
    const shown = await preview(
      [
        'first,last,email,id',
        'Ana,Ng,ana@acme.example,',
        'Ana,Ng,,rep_17',
        'Ida,Roe,i@acme.example,',
        'I,R,I@acme.example,',
      ].join('\n'),
    );
    expect(outcomes(shown).map(([, outcome]) => outcome)).toEqual(['same', 'problem', 'add', 'problem']);
    expect(problemOf(shown, 3)?.message).toBe('Is the same member as line 2.');
    expect(problemOf(shown, 5)?.message).toBe('Is the same member as line 4.');
  });

  test('reports an email that two active members share, and one of a deactivated member', async () => {
    await team.add({ first_name: 'One', email: 'both@acme.example' });
    await team.add({ first_name: 'Other', email: 'both@acme.example', external_id: 'crm_other' });
    const gone = await team.add({ first_name: 'Gone', email: 'gone@acme.example' });
    await team.database.sql`update members set active = false where id = ${gone.id}`;
    const shown = await preview(
      'first,last,email,id\nA,B,both@acme.example,\nA,B,gone@acme.example,\nOther,B,both@acme.example,crm_other',
    );
    expect(problemOf(shown, 2)?.message).toContain('Add the external id');
    expect(problemOf(shown, 3)?.message).toContain('deactivated');
    expect(shown.lines[2]?.outcome).toBe('change');
  });

  test('keeps the current value when a cell is empty or a column is missing', async () => {
    await team.add({ first_name: 'Ida', email: 'ida@acme.example', phone: '+14155550150', title: 'roofer' });
    const shown = await preview('email,phone,first\nida@acme.example,,Ida');
    expect(outcomes(shown)).toEqual([[2, 'same']]);
  });

  test("does not let a manager change roles or an owner's email", async () => {
    await team.database.sql`update members set external_id = 'own_1' where id = ${team.ownerId}`;
    const text = 'first,last,email,id,role\nIda,Roe,ida@acme.example,,owner\nowner,Team,mine@acme.example,own_1,';
    const asManager = await preview(text, team.manager);
    expect(outcomes(asManager).map(([, outcome]) => outcome)).toEqual(['problem', 'problem']);
    expect(asManager.lines.map(({ problem }) => problem?.field)).toEqual(['role', 'email']);
    const asOwner = await preview(text);
    expect(outcomes(asOwner).map(([, outcome]) => outcome)).toEqual(['add', 'change']);
    expect((await apply(text, asOwner.fingerprint, false, team.manager)).error.code).toBe('edit_conflict');
  });
});

describe('an import', () => {
  test.each([
    ['\r\n', '\n'],
    ['\n', '\r\n'],
    ['\r\n', '\r'],
    ['\r', '\n'],
  ])('that skips lines with problems imports all others when lines end in both %j and %j', async (one, other) => {
    const text = `first,last,email,phone${one}Ida,Roe,ida@acme.example,${other}Bad,Phone,bad@acme.example,12${other}${one}Leo,Ode,leo@acme.example,${other}`;
    const shown = await preview(text);
    expect(outcomes(shown)).toEqual([
      [2, 'add'],
      [3, 'problem'],
      [5, 'add'],
    ]);
    expect((await apply(text, shown.fingerprint, true)).body).toEqual({ added: 2, changed: 0, same: 0, skipped: 1 });
    const added = (await readMembers()).map(({ email }) => email);
    expect(added).toEqual(expect.arrayContaining(['ida@acme.example', 'leo@acme.example']));
  });

  test('does exactly what its preview showed', async () => {
    await team.add({ first_name: 'Old', last_name: 'Name', email: 'known@acme.example', external_id: 'crm_1' });
    const text = `${HEADS},title_es\nNew,Name,known@acme.example,,crm_1,insurance,,foreman,capataz\nIda,Roe,ida@acme.example,+442079460018,crm_2,both,manager,owner,dueña`;
    const { fingerprint } = await preview(text);
    const { status, body } = await apply(text, fingerprint);
    expect([status, body]).toEqual([200, { added: 1, changed: 1, same: 0, skipped: 0 }]);
    const rows = await readMembers();
    expect(rows.find(({ external_id }) => external_id === 'crm_1')).toMatchObject({
      first_name: 'New',
      lanes: ['insurance'],
      title: 'foreman',
      title_es: 'capataz',
      role: 'member',
      active: true,
    });
    expect(rows.find(({ external_id }) => external_id === 'crm_2')).toMatchObject({
      phone: '+442079460018',
      title_es: 'dueña',
      lanes: [],
      role: 'manager',
      notify_by: 'text',
    });
    expect(outcomes(await preview(text)).map(([, outcome]) => outcome)).toEqual(['same', 'same']);
  });

  test('is rejected without any change when the team changed after the preview', async () => {
    const text = 'first,last,email\nIda,Roe,ida@acme.example\nBo,Roe,bo@acme.example';
    const { fingerprint } = await preview(text);
    await team.add({ first_name: 'Bo', last_name: 'Roe', email: 'bo@acme.example' });
    const before = await readMembers();
    const { status, error } = await apply(text, fingerprint);
    expect([status, error.code]).toEqual([409, 'edit_conflict']);
    expect(await readMembers()).toEqual(before);
  });

  test('is rejected when the text differs from the preview', async () => {
    const { fingerprint } = await preview('first,last,email\nIda,Roe,ida@acme.example');
    const before = await readMembers();
    expect((await apply('first,last,email\nIda,Rowe,ida@acme.example', fingerprint)).status).toBe(409);
    expect(await readMembers()).toEqual(before);
  });

  test('skips lines with problems only when requested', async () => {
    const text = 'first,last,email\nIda,Roe,ida@acme.example\nBo,,bo@acme.example';
    const { fingerprint } = await preview(text);
    const before = await readMembers();
    const refused = await apply(text, fingerprint);
    expect([refused.status, refused.error.field]).toEqual([422, 'skip_problems']);
    expect(await readMembers()).toEqual(before);
    expect((await apply(text, fingerprint, true)).body).toEqual({ added: 1, changed: 0, same: 0, skipped: 1 });
    expect(await readMembers()).toHaveLength(before.length + 1);
  });

  test('applies a concurrent duplicate once', async () => {
    const text = 'first,last,email\nIda,Roe,ida@acme.example';
    const { fingerprint } = await preview(text);
    const both = await Promise.all([apply(text, fingerprint), apply(text, fingerprint)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect((await readMembers()).filter(({ email }) => email === 'ida@acme.example')).toHaveLength(1);
  });

  test('adds and changes no member of another organization', async () => {
    const before = await team.database.sql`select * from members where organization_id = ${team.other.organization.id}
      order by id`;
    const text = 'first,last,email,id\nAnn,Neu,ana@acme.example,rep_17';
    expect((await apply(text, (await preview(text)).fingerprint)).status).toBe(200);
    expect(
      await team.database.sql`select * from members where organization_id = ${team.other.organization.id} order by id`,
    ).toEqual(before);
  });
});

// Last, because members with intros stay.
test('an import asks its new members with a number for a practice recording, only on request', async () => {
  const text = 'first_name,last_name,email,phone\nWes,New,wes@acme.example,(415) 555-0143\nPam,New,pam@acme.example,';
  const { fingerprint } = await preview(text);
  const body = { text, fingerprint, skip_problems: false, welcome: true };
  expect((await team.owner.call('POST /members/import', { body })).body).toMatchObject({ added: 2 });
  const asked = () =>
    team.database.sql`select email, purpose from intros join members on members.id = member_id
      join all_messages m on m.intro_id = intros.id where reference ->> 'source' = 'foreword_practice'`;
  expect(await asked()).toEqual([{ email: 'wes@acme.example', purpose: 'ask' }]);
  const next = text.replaceAll('New,', 'Newer,').replaceAll('@acme', '@two.acme').replace('0143', '0144');
  expect((await apply(next, (await preview(next)).fingerprint)).body).toMatchObject({ added: 2 });
  expect(await asked()).toHaveLength(1);
});
