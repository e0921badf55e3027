import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { AwsClient } from 'aws4fetch';
import { Ceph as CephServer } from '../../../../scripts/cluster/ceph.ts';
import { freePort } from '../harness/service.ts';

/** Key of the test user; the server exists only during the tests. */
const ACCESS_KEY = 'FOREWORDTESTKEY00000';
/** Contains characters that need escaping in a URL. */
export const SECRET_KEY = 'test/secret+with@every:sign?and#20%25';

export interface Ceph {
  /** `127.0.0.1:port`, plain HTTP. */
  readonly host: string;
  /** OBJECTS_URL of a bucket, with the test user's credentials by default. */
  url(bucket: string, credentials?: { key?: string; secret?: string }): string;
  /** Signs requests to the store itself, bypassing the code under test. */
  readonly client: AwsClient;
  createBucket(name: string): Promise<void>;
  /** Call it before the bucket is used, because the server caches quotas. */
  limitBucket(name: string, bytes: number): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the S3 server of `npm run cluster` with an in-memory disk. */
export async function startCeph(): Promise<Ceph> {
  const folder = mkdtempSync(path.join(tmpdir(), 'fw-ceph-'));
  const ports = [await freePort(), await freePort()];
  const ceph = new CephServer({
    ...{ folder, newPort: () => ports.shift() ?? 0, store: 'memstore', accessKey: ACCESS_KEY, secretKey: SECRET_KEY },
  });
  const stop = async () => {
    // A graceful shutdown would take seconds and protect nothing.
    for (const program of ceph.programs.toReversed()) await program.kill({ withMachine: true });
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  };
  try {
    await ceph.start();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    host: ceph.host,
    client: ceph.client,
    createBucket: (name) => ceph.createBucket(name),
    async limitBucket(name, bytes) {
      const bucket = ['--quota-scope', 'bucket', '--uid', 'foreword', '--bucket', name];
      for (const change of [['set', '--max-size', `${bytes}`], ['enable']]) {
        await ceph.call('radosgw-admin', '-k', 'keyring', 'quota', ...change, ...bucket);
      }
    },
    url: (bucket, credentials) => ceph.url(bucket, credentials),
    stop,
  };
}
