import { command } from './database-command.ts';

/** Every command applies missing migrations before it runs, so this one has nothing left to do. */
export const migrateCommand = command({
  name: 'migrate',
  summary: 'Apply missing migrations, as each start does. For deployments that do it before they replace nodes.',
  input: {},
  run: async () => ({ object: 'migrations', status: 'applied' }),
  show: (json) => ({ json, text: 'All migrations are applied.' }),
});
