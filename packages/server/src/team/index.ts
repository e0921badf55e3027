export { deactivateAndSettle } from './departure.ts';
export { createMemberService, type MemberService } from './service.ts';
