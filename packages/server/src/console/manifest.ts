import { readFile } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';

const DAY_S = 86_400;

/** A speech bubble with a play button. Drawn to the edge with the motif in the middle, so that any crop works. */
const ICON_FILE = new URL('icon.png', import.meta.url);
const ICON_PATH = '/console/icon.png';
const ICON = { src: ICON_PATH, sizes: '512x512', type: 'image/png' };

/**
 * Lets users add the console to a home screen. The recorder is out of its scope, so that it opens in the browser with a back
 * button and the camera permission.
 */
const MANIFEST = JSON.stringify({
  id: '/console',
  name: 'Foreword',
  short_name: 'Foreword',
  description: 'Videos to record, and how they were watched.',
  start_url: '/console/home',
  scope: '/console',
  display: 'standalone',
  background_color: '#faf8f4',
  theme_color: '#faf8f4',
  icons: [
    { ...ICON, purpose: 'any' },
    { ...ICON, purpose: 'maskable' },
  ],
});

export function registerManifest(app: FastifyInstance): void {
  app.get('/console/manifest.webmanifest', { config: { operation: 'console_manifest' } }, async (_request, reply) =>
    reply
      .header('cache-control', `public, max-age=${DAY_S}`)
      .type('application/manifest+json; charset=utf-8')
      .send(MANIFEST),
  );
  app.get(ICON_PATH, { config: { operation: 'console_icon' } }, async (_request, reply) =>
    reply
      .header('cache-control', `public, max-age=${DAY_S}`)
      .type('image/png')
      .send(await readFile(ICON_FILE)),
  );
}
