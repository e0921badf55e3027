import { createHash } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import type { WebBuild } from '@foreword/web/build';
import type { FastifyInstance } from 'fastify';
import { chooseEncoding, compress, type Encoding } from './platform/encoding.ts';

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};
/** Each file is compressed at its first request. The highest quality takes ten times as long to save a few hundred bytes. */
const BROTLI_QUALITY = 9;
const YEAR_S = 31_536_000;

interface Asset {
  readonly type: string;
  readonly bytes: Buffer;
  readonly compressed: Map<Encoding, Promise<Buffer>>;
}

/** Serves the built web files from memory. Their names contain a hash of the content, so browsers may cache them forever. */
export async function registerWeb(app: FastifyInstance, build: WebBuild): Promise<void> {
  const assets = new Map<string, Asset>();
  for (const name of await fs.readdir(build.folder)) {
    const type = TYPES[path.extname(name)];
    if (type === undefined) continue;
    assets.set(name, { type, bytes: await fs.readFile(path.join(build.folder, name)), compressed: new Map() });
  }
  app.get<{ Params: { name: string } }>('/assets/:name', { config: { operation: 'asset' } }, async (request, reply) => {
    const asset = assets.get(request.params.name);
    if (asset === undefined) return reply.callNotFound();
    const encoding = chooseEncoding(request.headers['accept-encoding']);
    const body = asset.compressed.get(encoding) ?? compress(asset.bytes, encoding, BROTLI_QUALITY);
    asset.compressed.set(encoding, body);
    reply
      .type(asset.type)
      .header('cache-control', `public, max-age=${YEAR_S}, immutable`)
      .header('vary', 'accept-encoding');
    reply.header('etag', `"${createHash('sha256').update(request.params.name).digest('base64url')}"`);
    if (encoding !== 'identity') reply.header('content-encoding', encoding);
    return body;
  });
}
