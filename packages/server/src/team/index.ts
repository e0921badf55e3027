/** Changes to members that also concern their intros and sessions. */

export { deactivateAndSettle } from './departure.ts';
export { createMemberService, type MemberService } from './service.ts';
