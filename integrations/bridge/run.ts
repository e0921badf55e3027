import type { AddressInfo } from 'node:net';
import { connect } from './connection.ts';
import type { Bridge } from './context.ts';
import { createLog, type Log } from './log.ts';
import type { Recipe } from './recipe.ts';
import { createRecipeServer } from './server.ts';
import { createVariables, readSettings, type Settings, SettingsError, type Variables } from './settings.ts';

export interface RecipeSetup<Notice> {
  /** Appears in the log. */
  readonly name: string;
  /** Reads the recipe's own variables, and creates it. Throws a `SettingsError` if one is missing. */
  create(variables: Variables, settings: Settings): Recipe<Notice>;
}

const EXIT_CONFIG = 78;
/** Container platforms and systemd allow at least ten seconds between SIGTERM and SIGKILL. */
const STOP_LIMIT_MS = 9_000;

/** Starts a recipe with the variables of the environment: the only call of its main file. */
export function runRecipe<Notice>({ name, create }: RecipeSetup<Notice>): void {
  const log = createLog(name);
  try {
    const variables = createVariables(process.env);
    const settings = readSettings(variables);
    const recipe = create(variables, settings);
    // The bridge passes each notice only to the recipe that returned it.
    serve(settings, { recipe: recipe as Recipe<unknown>, log, country: settings.country, ...connect(settings) });
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = EXIT_CONFIG;
  }
}

function serve(settings: Settings, bridge: Bridge): void {
  const { log } = bridge;
  const server = createRecipeServer(bridge, settings.publicUrl);
  server.on('error', (error: NodeJS.ErrnoException) => {
    process.stderr.write(`cannot listen on ${settings.host}:${settings.port}: ${error.code}\n`);
    process.exit(1);
  });
  server.listen(settings.port, settings.host, () => {
    const { address, port } = server.address() as AddressInfo;
    log.info('listening', { address, port });
    checkTouchpoints(bridge, log);
  });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      // Answers the requests in flight. The CRM sends unanswered ones again.
      setTimeout(() => process.exit(0), STOP_LIMIT_MS).unref();
      server.close(() => process.exit(0));
      server.closeIdleConnections();
    });
  }
}

/** Events for a slug that the organization does not have, or turned off, are refused. Better to learn it at the start. */
async function checkTouchpoints({ recipe, foreword }: Bridge, log: Log): Promise<void> {
  try {
    const active = new Set<string>();
    for await (const { slug, active: isActive } of foreword.touchpoints.list()) if (isActive) active.add(slug);
    for (const touchpoint of new Set(recipe.touchpoints))
      if (!active.has(touchpoint))
        log.warn('the mapping has a touchpoint that is missing or off in Foreword', { touchpoint });
  } catch {
    log.warn('Foreword could not be reached to check the mapping');
  }
}
