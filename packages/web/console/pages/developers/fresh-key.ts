/** The key that was just made, for the snippets. It stands in memory alone, and is gone with the page. */
let fresh: string | null = null;

export const rememberKey = (secret: string): void => {
  fresh = secret;
};

export const readFreshKey = (): string | null => fresh;
