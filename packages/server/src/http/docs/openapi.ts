import fs from 'node:fs';
import path from 'node:path';

/** In packages and images. A clone has the file at its root. */
const PACKAGED = path.join(import.meta.dirname, '../../../openapi.json');
const OF_CLONE = path.join(import.meta.dirname, '../../../../../openapi.json');

interface OpenApi {
  readonly info: { readonly contact: object };
  readonly servers: readonly object[];
}

/** The document that `npm run gen` writes from the contract, with the address of this installation. */
export function readOpenApi(publicUrl: string): OpenApi {
  const file = fs.existsSync(PACKAGED) ? PACKAGED : OF_CLONE;
  const document = JSON.parse(fs.readFileSync(file, 'utf8')) as OpenApi;
  const contact = { ...document.info.contact, url: `${publicUrl}/docs` };
  const servers = document.servers.map((server) => ({ ...server, url: publicUrl }));
  return { ...document, info: { ...document.info, contact }, servers };
}
