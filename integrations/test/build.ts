import { buildRecipes } from '../build.ts';

/** The tests run the files that an administrator deploys. */
export default buildRecipes;
