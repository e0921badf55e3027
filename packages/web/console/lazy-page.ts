import { lazyRouteComponent } from '@tanstack/react-router';
import { untilAnswered } from './probe.ts';

/**
 * A page whose file is loaded when it is opened. Without a connection it waits for one, under the bar that says so; the
 * router by itself would load the whole console anew, and end on the browser's own error page. That is left to the one
 * case where it helps: the server answers and the file is gone, because another version was installed.
 */
export const lazyPage = <Module extends Record<string, unknown>, Name extends keyof Module & string>(
  load: () => Promise<Module>,
  name: Name,
) =>
  lazyRouteComponent(async () => {
    try {
      return await load();
    } catch {
      await untilAnswered();
      return load();
    }
  }, name);
