import { isbot } from 'isbot';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Crawlers, link previews and scripts, and browsers that prefetch a page before a person opens it. */
export const isRobot = (headers: Headers): boolean =>
  [headers['sec-purpose'], headers.purpose, headers['x-purpose'], headers['x-moz']].some((value) =>
    /prefetch|prerender|preview/i.test(String(value ?? '')),
  ) || isbot(headers['user-agent']?.toString());
