export { presentMember } from './present.ts';
export { explainMismatch, toSelector } from './rules.ts';
export { createMember, ExternalIdTakenError, listAllMembers, listMembers } from './service.ts';
export { deactivateMember, findActiveByEmail, findMemberOfAny, RESOLVE_MEMBER, updateMember } from './store.ts';
