import { Type } from 'typebox';
import { databaseCommand } from './command.ts';

/** Every command applies missing migrations before it runs, so this one has nothing left to do. */
export const migrateCommand = databaseCommand({
  path: ['migrate'],
  summary: 'Apply missing migrations, as each start does. For deployments that do it before they replace nodes.',
  input: Type.Object({}),
  example: 'foreword migrate',
  run: async () => undefined,
  show: () => ({ json: { object: 'migrations', status: 'applied' }, text: 'All migrations are applied.' }),
});
