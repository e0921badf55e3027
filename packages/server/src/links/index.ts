export { createLinkRateLimit, networkOf } from './rate-limit.ts';
export { createLinks, hashToken, type Link, type Links, looksLikeToken } from './service.ts';
