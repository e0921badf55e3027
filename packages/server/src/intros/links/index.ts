/** Links of members and recipients: tokens, hashes, and removing links from stored text. */

export { createLinkRateLimit, createLinks, type FoundLink, type Links, networkOf } from './service.ts';
export { countLiveLinks } from './store.ts';
export { type LinkKind, looksLikeToken, redactLinks } from './tokens.ts';
