import { describe, expect, it } from 'vitest';
import { ObjectsUrlError, openObjects, readObjectsUrl } from '../../src/platform/objects.ts';

const CREDENTIALS = { accessKeyId: 'ID', secretAccessKey: 'from-elsewhere' };

describe('OBJECTS_URL', () => {
  it('names a folder from the root, with what an address has to spell out', () => {
    expect(readObjectsUrl('file:///var/lib/fore%20word')).toEqual({ kind: 'folder', root: '/var/lib/fore word' });
  });

  it('names a bucket, its prefix and all that is needed to write there', () => {
    expect(readObjectsUrl('s3://KEY:se%2Fc%2Bret@objects.example.com:9000/my-bucket/a/b/?region=eu-1&tls=off')).toEqual(
      {
        kind: 's3',
        origin: 'http://objects.example.com:9000',
        bucket: 'my-bucket',
        prefix: 'a/b/',
        region: 'eu-1',
        credentials: { accessKeyId: 'KEY', secretAccessKey: 'se/c+ret' },
      },
    );
  });

  it('takes TLS and the whole bucket unless told otherwise', () => {
    expect(readObjectsUrl('s3://KEY:secret@s3.eu-central-1.amazonaws.com/my-bucket')).toMatchObject({
      origin: 'https://s3.eu-central-1.amazonaws.com',
      prefix: '',
      region: undefined,
    });
  });

  it('takes credentials from elsewhere when it holds none, and its own when it does', () => {
    expect(readObjectsUrl('s3://host/bucket', CREDENTIALS)).toMatchObject({ credentials: CREDENTIALS });
    expect(readObjectsUrl('s3://KEY:own@host/bucket', CREDENTIALS)).toMatchObject({
      credentials: { accessKeyId: 'KEY', secretAccessKey: 'own' },
    });
  });

  it('signs for the region that the host tells', async () => {
    const now = { clock: () => new Date('2026-01-02T03:04:05Z') };
    const told = openObjects('s3://KEY:secret@s3.eu-central-1.amazonaws.com/my-bucket', now);
    const untold = openObjects('s3://KEY:secret@objects.example.com/my-bucket', now);
    const sign = { seconds: 60, type: 'video/mp4' };
    expect(await told.presign('a', sign)).toContain('KEY%2F20260102%2Feu-central-1%2Fs3%2Faws4_request');
    expect(await untold.presign('a', sign)).toContain('KEY%2F20260102%2Fus-east-1%2Fs3%2Faws4_request');
  });

  it.each([
    ['nothing', ''],
    ['a bare path', '/var/lib/objects'],
    ['another scheme', 'https://KEY:hidden@host/bucket'],
    ['a folder that is not from the root', 'file:objects'],
    ['a folder on a host', 'file://host/objects'],
    ['a folder with a question', 'file:///objects?hidden'],
    ['a folder with an escaped slash', 'file:///objects%2Fhidden'],
    ['no host', 's3:///bucket'],
    ['no bucket', 's3://KEY:hidden@host'],
    ['a bucket too short', 's3://KEY:hidden@host/ab'],
    ['a bucket with odd letters', 's3://KEY:hidden@host/my%20bucket'],
    ['a prefix that leads upwards', 's3://KEY:hidden@host/bucket/a/%2e%2e%2fb'],
    ['a prefix with odd letters', 's3://KEY:hidden@host/bucket/A'],
    ['a slash in the secret', 's3://KEY:hidden/hidden@host/bucket'],
    ['a number sign in the secret', 's3://KEY:hidden#hidden@host/bucket'],
    ['a percent sign in the secret', 's3://KEY:hidden%zz@host/bucket'],
    ['a key alone', 's3://hidden@host/bucket'],
    ['a secret alone', 's3://:hidden@host/bucket'],
    ['no credentials at all', 's3://host/bucket'],
    ['a region that is none', 's3://KEY:hidden@host/bucket?region=a%20b'],
    ['tls that is neither', 's3://KEY:hidden@host/bucket?tls=hidden'],
    ['another setting', 's3://KEY:hidden@host/bucket?hidden=1'],
  ])('is refused with %s, in a sentence that names it and holds nothing of it', (_, text) => {
    const refuse = () => readObjectsUrl(text);
    expect(refuse).toThrow(ObjectsUrlError);
    expect(refuse).toThrow(/^OBJECTS_URL (must|names|holds|has|takes) /);
    expect(refuse).not.toThrow(/hidden/);
  });
});
