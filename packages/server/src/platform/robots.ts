type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** "Cubot" makes phones. */
const ROBOT = /(?<!cu)bot\b|crawl|spider|externalhit|slurp|preview/i;

/** Programs that fetch ahead of a person or instead of one. */
export const isRobot = (headers: Headers): boolean =>
  [headers['sec-purpose'], headers.purpose, headers['x-purpose'], headers['x-moz']].some((value) =>
    /prefetch|prerender|preview/i.test(String(value ?? '')),
  ) || ROBOT.test(headers['user-agent']?.toString() ?? '');
