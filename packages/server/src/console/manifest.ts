import type { FastifyInstance } from 'fastify';
import { drawAppIcon } from './app-icon.ts';

/** Requested when a user adds the console to the home screen. */
const ICON_SIZES = [180, 192, 512] as const;
const DAY_S = 86_400;

const iconUrl = (size: number): string => `/console/icons/${size}.png`;

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
  icons: ICON_SIZES.flatMap((size) =>
    // Drawn to the edge with the motif in the middle, so that any crop works.
    ['any', 'maskable'].map((purpose) => ({
      src: iconUrl(size),
      sizes: `${size}x${size}`,
      type: 'image/png',
      purpose,
    })),
  ),
});

export function registerManifest(app: FastifyInstance): void {
  app.get('/console/manifest.webmanifest', { config: { operation: 'console_manifest' } }, async (_request, reply) =>
    reply
      .header('cache-control', `public, max-age=${DAY_S}`)
      .type('application/manifest+json; charset=utf-8')
      .send(MANIFEST),
  );
  for (const size of ICON_SIZES) {
    let drawn: Buffer | undefined;
    app.get(iconUrl(size), { config: { operation: 'console_icon' } }, async (_request, reply) => {
      drawn ??= drawAppIcon(size);
      return reply.header('cache-control', `public, max-age=${DAY_S}`).type('image/png').send(drawn);
    });
  }
}
