import { afterAll } from 'vitest';

/** Fixtures that this file has opened. Modules are loaded again for each file. */
const opened: (() => unknown)[] = [];

/** Opens a fixture for all tests of a file, and closes it after the last one. Call it at the top of the file. */
export async function forFile<Fixture extends { close(): unknown }>(opening: Promise<Fixture>): Promise<Fixture>;
export async function forFile<Fixture>(
  opening: Promise<Fixture>,
  close: (fixture: Fixture) => unknown,
): Promise<Fixture>;
export async function forFile<Fixture>(
  opening: Promise<Fixture>,
  close = (fixture: Fixture) => (fixture as { close(): unknown }).close(),
): Promise<Fixture> {
  try {
    const fixture = await opening;
    opened.push(() => close(fixture));
    afterAll(() => close(fixture));
    return fixture;
  } catch (error) {
    // Vitest runs no hooks of a file that fails to load.
    for (const end of opened.reverse()) await end();
    throw error;
  }
}
