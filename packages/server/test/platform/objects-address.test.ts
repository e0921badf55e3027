import { describe, expect, test } from 'vitest';
import { openObjects, readObjectsUrl } from '../../src/platform/objects/index.ts';
import { ConfigError } from '../../src/platform/process.ts';

describe('OBJECTS_URL', () => {
  test('can name an absolute folder with encoded characters', () => {
    expect(readObjectsUrl('file:///var/lib/fore%20word')).toEqual({ kind: 'folder', root: '/var/lib/fore word' });
  });

  test('can name a bucket with prefix, region and credentials', () => {
    expect(readObjectsUrl('s3://KEY:se%2Fc%2Bret@objects.example.com:9000/my-bucket/a/b/?region=eu-1&tls=off')).toEqual(
      {
        kind: 's3',
        origin: 'http://objects.example.com:9000',
        bucket: 'my-bucket',
        prefix: 'a/b/',
        region: 'eu-1',
        credentials: { accessKeyId: 'KEY', secretAccessKey: 'se/c+ret' },
        redirectsPlayers: false,
      },
    );
  });

  test('defaults to TLS and no prefix', () => {
    expect(readObjectsUrl('s3://KEY:secret@s3.eu-central-1.amazonaws.com/my-bucket')).toMatchObject({
      origin: 'https://s3.eu-central-1.amazonaws.com',
      prefix: '',
      region: undefined,
    });
  });

  test('can redirect players to the store', () => {
    expect(readObjectsUrl('s3://KEY:secret@host/bucket?redirect=on')).toMatchObject({ redirectsPlayers: true });
  });

  test('signs for the region in the host name', async () => {
    const now = { clock: () => new Date('2026-01-02T03:04:05Z') };
    const withRegion = openObjects('s3://KEY:secret@s3.eu-central-1.amazonaws.com/my-bucket', now);
    const withoutRegion = openObjects('s3://KEY:secret@objects.example.com/my-bucket', now);
    const sign = { seconds: 60, type: 'video/mp4' };
    expect(await withRegion.presign('a', sign)).toContain('KEY%2F20260102%2Feu-central-1%2Fs3%2Faws4_request');
    expect(await withoutRegion.presign('a', sign)).toContain('KEY%2F20260102%2Fus-east-1%2Fs3%2Faws4_request');
  });

  test.each([
    ['nothing', ''],
    ['a bare path', '/var/lib/objects'],
    ['another scheme', 'https://KEY:hidden@host/bucket'],
    ['a relative folder', 'file:objects'],
    ['a folder on a host', 'file://host/objects'],
    ['a folder with a query', 'file:///objects?hidden'],
    ['a folder with an escaped slash', 'file:///objects%2Fhidden'],
    ['no host', 's3:///bucket'],
    ['no bucket', 's3://KEY:hidden@host'],
    ['a bucket name that is too short', 's3://KEY:hidden@host/ab'],
    ['a bucket with invalid characters', 's3://KEY:hidden@host/my%20bucket'],
    ['a prefix with a parent folder', 's3://KEY:hidden@host/bucket/a/%2e%2e%2fb'],
    ['a prefix with invalid characters', 's3://KEY:hidden@host/bucket/A'],
    ['a slash in the secret', 's3://KEY:hidden/hidden@host/bucket'],
    ['a number sign in the secret', 's3://KEY:hidden#hidden@host/bucket'],
    ['a percent sign in the secret', 's3://KEY:hidden%zz@host/bucket'],
    ['a key without a secret', 's3://hidden@host/bucket'],
    ['a secret without a key', 's3://:hidden@host/bucket'],
    ['no credentials at all', 's3://host/bucket'],
    ['an invalid region', 's3://KEY:hidden@host/bucket?region=a%20b'],
    ['an invalid tls value', 's3://KEY:hidden@host/bucket?tls=hidden'],
    ['an invalid redirect value', 's3://KEY:hidden@host/bucket?redirect=hidden'],
    ['an unknown parameter', 's3://KEY:hidden@host/bucket?hidden=1'],
  ])('is rejected with %s, in a message that names the setting but reveals no part of it', (_, text) => {
    const refuse = () => readObjectsUrl(text);
    expect(refuse).toThrow(ConfigError);
    expect(refuse).toThrow(/^OBJECTS_URL (must|has|accepts|contains) /);
    expect(refuse).not.toThrow(/hidden/);
  });
});
