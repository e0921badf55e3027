/** Turns operations of the contract into routes: credentials, limits, validation, idempotency and presentation. */

export {
  apiKeys,
  authorize,
  type Caller,
  type ChangeId,
  type Credential,
  type Gate,
  type Handlers,
  type Input,
  type KeyedChange,
  registerOperations,
  type Served,
  serveHandlers,
  type UseOperation,
  useOperations,
} from './operations.ts';
export { Clip, registerRoute, requireJson } from './route.ts';
