export { createLinkRateLimit, networkOf } from './rate-limit.ts';
export { createLinks, type Link, type Links, requireSameKey } from './service.ts';
export { hashToken, looksLikeToken } from './tokens.ts';
