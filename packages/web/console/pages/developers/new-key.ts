/** The key that was just created, for the snippets. Kept only in memory, until the page is closed. */
let newKey: string | null = null;

export const rememberNewKey = (secret: string): void => {
  newKey = secret;
};

export const readNewKey = (): string | null => newKey;
