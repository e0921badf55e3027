/** Changes to members that also concern their intros and sessions. */

export { deactivateAndSettle } from './departure.ts';
export { memberOperations } from './operations.ts';
