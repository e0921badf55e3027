/** Links of members and recipients: tokens, hashes, and removing links from stored text. */

export { redactLinks } from './hiding.ts';
export { createLinkRateLimit, networkOf } from './rate-limit.ts';
export { createLinks, type FoundLink, type Links } from './service.ts';
export { countLiveLinks } from './store.ts';
export { hashToken, type LinkKind, looksLikeToken } from './tokens.ts';
