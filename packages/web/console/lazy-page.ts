import { lazyRouteComponent } from '@tanstack/react-router';
import { untilReachable } from './probe.ts';

/**
 * Loads a page's script when it is opened. While offline it waits for the server, because the router's own reload would
 * end on the browser's error page. If the server responds but the file is gone (a new version), the router reloads.
 */
export const lazyPage = <Module extends Record<string, unknown>, Name extends keyof Module & string>(
  load: () => Promise<Module>,
  name: Name,
) =>
  lazyRouteComponent(async () => {
    try {
      return await load();
    } catch {
      await untilReachable();
      return load();
    }
  }, name);
