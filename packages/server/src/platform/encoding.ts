import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

export type Encoding = 'br' | 'gzip' | 'identity';

/** The best encoding that the header `Accept-Encoding` allows. */
export function chooseEncoding(accepted: string | undefined): Encoding {
  const offers = (accepted ?? '').toLowerCase().split(',');
  const accepts = (name: string) =>
    offers.some((offer) => new RegExp(`^\\s*${name}\\s*(;(?!\\s*q=0(\\.0*)?\\s*$)|$)`).test(offer));
  return accepts('br') ? 'br' : accepts('gzip') ? 'gzip' : 'identity';
}

/** `quality` applies to brotli: up to 11 for cached files, 5 or 6 when a reader waits for the result. */
export async function compress(bytes: Buffer, encoding: Encoding, quality: number): Promise<Buffer> {
  if (encoding === 'identity') return bytes;
  if (encoding === 'gzip') return promisify(gzip)(bytes);
  return promisify(brotliCompress)(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
  });
}

/** `If-None-Match`, compared weakly. */
export function matchesTag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  const wanted = etag.replace(/^W\//, '');
  return header.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === wanted);
}
