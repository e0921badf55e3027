/** Turns operations of the contract into routes: credentials, limits, validation, idempotency and presentation. */

export {
  authorize,
  type Caller,
  type ChangeId,
  type Gate,
  type Handlers,
  type Input,
  type KeyedChange,
  type Prepared,
  registerOperations,
  type UseOperation,
  useOperations,
} from './operations.ts';
export { Clip, registerRoute, requireJson } from './route.ts';
