export { presentMember } from './present.ts';
export { explainMismatch, toSelector } from './rules.ts';
export { createMember, ExternalIdTakenError, listAllMembers, listMembers, type NewMember } from './service.ts';
export { deactivateMember, findMember, RESOLVE_MEMBER } from './store.ts';
