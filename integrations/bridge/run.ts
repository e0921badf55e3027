import { connect } from './connection.ts';
import type { Bridge } from './context.ts';
import { createLog, type Log } from './log.ts';
import type { Recipe } from './recipe.ts';
import { createRecipeServer } from './server.ts';
import { runService, serve } from './service.ts';
import { createVariables, readSettings, type Settings, type Variables } from './settings.ts';

export interface RecipeSetup<Notice> {
  /** Appears in the log. */
  readonly name: string;
  /** Reads the recipe's own variables, and creates it. Throws a `SettingsError` if one is missing. */
  create(variables: Variables, settings: Settings): Recipe<Notice>;
}

/** Starts a recipe with the variables of the environment: the only call of its main file. */
export function runRecipe<Notice>({ name, create }: RecipeSetup<Notice>): void {
  runService(() => {
    const log = createLog(name);
    const variables = createVariables(process.env);
    const settings = readSettings(variables);
    // The bridge passes each notice only to the recipe that returned it.
    const recipe = create(variables, settings) as Recipe<unknown>;
    const bridge: Bridge = { recipe, log, country: settings.country, ...connect(settings) };
    serve(createRecipeServer(bridge, settings.publicUrl), settings, log);
    checkTouchpoints(bridge, log);
  });
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
