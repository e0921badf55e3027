import type { File } from './support.ts';

/** Archives that someone changed, with right checksums, and a part of the line that refuses each. */
export function forgeries(files: readonly File[], id: string): Record<string, () => readonly [File[], string]> {
  const replaced = (name: string, change: (text: string) => string): File[] =>
    files.map((file) =>
      file.path === name ? { ...file, content: Buffer.from(change(file.content.toString())) } : file,
    );
  const added = (name: string, content: string, after = 'rows.json'): File[] =>
    files.flatMap((file) => (file.path === after ? [file, { path: name, content: Buffer.from(content) }] : [file]));
  const MEMBERS = 'rows/members/000001.jsonl';
  return {
    'a newer format': () => [
      replaced('foreword-export.json', (text) => text.replace('"format": 1', '"format": 2')),
      'format is 2',
    ],
    'a newer database': () => [
      replaced('foreword-export.json', (text) => text.replace(/"schema": "[^"]+"/, '"schema": "9999_later.sql"')),
      'whose database is newer',
    ],
    'a row of another organization': () => [
      replaced(MEMBERS, (text) => text.replace(id, `org_${'0'.repeat(26)}`)),
      'another organization',
    ],
    'a picture of another organization': () => [
      replaced(MEMBERS, (text) => text.replaceAll('"photo":null', `"photo":"org_${'0'.repeat(26)}/logo-1.png"`)),
      'a file of another organization',
    ],
    'a part of a recording in another organization': () => [
      replaced('rows/recordings/000001.jsonl', (text) => text.replace('"parts":["', '"parts":["../../x","')),
      'a file of another organization',
    ],
    'a line that is not JSON': () => [replaced(MEMBERS, (text) => `${text}{"id":\n`), 'not JSON'],
    'a line without an end': () => [replaced(MEMBERS, (text) => text.slice(0, -1)), 'incomplete line'],
    'a giant line': () => [replaced(MEMBERS, (text) => `${text}"${'x'.repeat(17 * 1024 * 1024)}"\n`), 'is too large'],
    'an unknown column': () => [
      replaced(MEMBERS, (text) => text.replaceAll('{"organization_id"', '{"later":1,"organization_id"')),
      'the column later',
    ],
    'an unknown table': () => [added('rows/later_things/000001.jsonl', '{}\n', MEMBERS), 'does not know the'],
    'an unexpected file': () => [added(`objects/${id}/members/mem_1-1.jpg`, 'x'), 'no row refers to the file'],
    'a value of another type': () => [
      replaced(MEMBERS, (text) => text.replace('"active":true', '"active":"maybe"')),
      'the database rejects a row',
    ],
    'a website that runs a script': () => [
      replaced('rows/organizations/000001.jsonl', (text) =>
        text.replace('"website":null', '"website":"javascript:alert(1)"'),
      ),
      'website must be an address',
    ],
    'a button that runs a script': () => [
      replaced('rows/touchpoints/000001.jsonl', (text) =>
        text.replace('"action_label":null,"action_url":null', '"action_label":"Go","action_url":"javascript:alert(1)"'),
      ),
      'action_url must be',
    ],
    'a template above the limits': () => [
      replaced('rows/touchpoints/000001.jsonl', (text) =>
        text.replace(/"script":"(?:[^"\\]|\\.)*"/, '"script":"{% for i in (1..9999) %}x{% endfor %}"'),
      ),
      'script line 1: the template takes too long',
    ],
    'a template that is too long': () => [
      replaced('rows/touchpoints/000001.jsonl', (text) =>
        text.replace(/"page_title":"[^"]*"/, `"page_title":"${'x'.repeat(121)}"`),
      ),
      'page_title',
    ],
    'a private webhook URL': () => [
      replaced('rows/webhook_endpoints/000001.jsonl', (text) =>
        text.replace('https://hooks.acme.example/in', 'http://169.254.169.254/latest'),
      ),
      'url must not point to this machine or a private network',
    ],
    'an email that is none': () => [
      replaced(MEMBERS, (text) => text.replace(/"email":"[^"]*"/, '"email":"<script>"')),
      'email must be',
    ],
    'fewer rows than it says': () => [
      replaced(MEMBERS, (text) => text.slice(text.indexOf('\n') + 1)),
      'does not match the rows',
    ],
    'a missing file': () => [files.filter((file) => !file.path.endsWith('video.mp4')), 'video.mp4 is missing'],
    'files in another order': () => [[...files.slice(1), ...files.slice(0, 1)], 'wrong place'],
  };
}

/** Archives that were damaged, or whose checksums are wrong. */
export function damages(bytes: Buffer): [string, Buffer][] {
  return [
    ['a path out of the folder', Buffer.concat([Buffer.from('../../etc/passwd\0'), bytes.subarray(17)])],
    ['cut off', bytes.subarray(0, bytes.length - 2048)],
    ['something after its end', Buffer.concat([bytes, Buffer.alloc(512, 1)])],
    ['a changed byte', Buffer.concat([bytes.subarray(0, 5200), Buffer.from('~'), bytes.subarray(5201)])],
  ];
}
