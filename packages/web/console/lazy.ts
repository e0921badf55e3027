import { lazyRouteComponent } from '@tanstack/react-router';
import { loadWhenReachable } from './api.ts';

/**
 * A component whose script loads when it is rendered first, or when `preload` is called. While offline it waits for the
 * server, because the router's own reload would end on the browser's error page. If the server responds but the file is
 * gone (a new version), the router reloads. Outside of a route it needs a Suspense around it.
 */
export const lazyComponent = <Module extends Record<string, unknown>, Name extends keyof Module & string>(
  load: () => Promise<Module>,
  name: Name,
) => lazyRouteComponent(() => loadWhenReachable(load), name);
