// Generated from openapi.json by `npm run gen`. Do not edit.

import type * as types from './types.ts';

export const ROUTES = {
  createTouchpointEvent: 'POST /v1/touchpoint-events',
  listEvents: 'GET /v1/events',
  retrieveEvent: 'GET /v1/events/{id}',
  retryEvent: 'POST /v1/events/{id}/retry',
  dryRun: 'POST /v1/dry_run',
  createIntro: 'POST /v1/intros',
  listIntros: 'GET /v1/intros',
  retrieveIntro: 'GET /v1/intros/{id}',
  cancelIntro: 'POST /v1/intros/{id}/cancel',
  markIntroSent: 'POST /v1/intros/{id}/mark_sent',
  correctIntroPhone: 'POST /v1/intros/{id}/correct_phone',
  takeDownIntro: 'POST /v1/intros/{id}/take_down',
  retryRecording: 'POST /v1/intros/{id}/retry_recording',
  createRecordingLink: 'POST /v1/intros/{id}/recording_link',
  retrieveTimeline: 'GET /v1/intros/{id}/timeline',
  optOutRecipient: 'POST /v1/recipients/opt_out',
  optInRecipient: 'POST /v1/recipients/opt_in',
  listOptOuts: 'GET /v1/recipients/opt_outs',
  eraseRecipient: 'POST /v1/recipients/erase',
  retrieveErasure: 'GET /v1/recipients/erasures/{id}',
  recordTestIntro: 'POST /v1/test_helpers/intros/{id}/record',
  openTestIntro: 'POST /v1/test_helpers/intros/{id}/open',
  watchTestIntro: 'POST /v1/test_helpers/intros/{id}/watch',
  replyTestIntro: 'POST /v1/test_helpers/intros/{id}/reply',
  optOutTestRecipient: 'POST /v1/test_helpers/intros/{id}/opt_out',
  optInTestRecipient: 'POST /v1/test_helpers/intros/{id}/opt_in',
  expireTestIntro: 'POST /v1/test_helpers/intros/{id}/expire',
  failTestIntro: 'POST /v1/test_helpers/intros/{id}/fail',
  retrieveTestClock: 'GET /v1/test_helpers/clock',
  advanceTestClock: 'POST /v1/test_helpers/clock/advance',
  resetTestClock: 'POST /v1/test_helpers/clock/reset',
  listTouchpoints: 'GET /v1/touchpoints',
  retrieveTouchpoint: 'GET /v1/touchpoints/{id}',
  listMembers: 'GET /v1/members',
  createMember: 'POST /v1/members',
  retrieveMember: 'GET /v1/members/{id}',
  updateMember: 'POST /v1/members/{id}',
  deactivateMember: 'POST /v1/members/{id}/deactivate',
  reactivateMember: 'POST /v1/members/{id}/reactivate',
  createLinkDomain: 'POST /v1/link-domains',
  listLinkDomains: 'GET /v1/link-domains',
  retrieveLinkDomain: 'GET /v1/link-domains/{id}',
  deleteLinkDomain: 'DELETE /v1/link-domains/{id}',
  checkLinkDomain: 'POST /v1/link-domains/{id}/check',
  createWebhookEndpoint: 'POST /v1/webhook_endpoints',
  listWebhookEndpoints: 'GET /v1/webhook_endpoints',
  retrieveWebhookEndpoint: 'GET /v1/webhook_endpoints/{id}',
  updateWebhookEndpoint: 'POST /v1/webhook_endpoints/{id}',
  deleteWebhookEndpoint: 'DELETE /v1/webhook_endpoints/{id}',
  rotateWebhookSecret: 'POST /v1/webhook_endpoints/{id}/rotate_secret',
  listWebhookMessages: 'GET /v1/webhook_endpoints/{id}/messages',
  retrieveWebhookMessage: 'GET /v1/webhook_messages/{id}',
  listWebhookAttempts: 'GET /v1/webhook_endpoints/{id}/attempts',
  replayWebhooks: 'POST /v1/webhook_endpoints/{id}/replay',
  testWebhookEndpoint: 'POST /v1/webhook_endpoints/{id}/test',
} as const;

export interface Operations {
  createTouchpointEvent: { body: types.CreateTouchpointEvent; result: types.AcceptedTouchpointEvent };
  listEvents: { query: types.ListEventsParams; result: types.TouchpointEventList };
  retrieveEvent: { query: types.RetrieveEventParams; result: types.TouchpointEvent };
  retryEvent: { body: types.EmptyBody; result: types.TouchpointEvent };
  dryRun: { body: types.CreateTouchpointEvent; result: types.DryRun };
  createIntro: { body: types.CreateIntro; result: types.Intro };
  listIntros: { query: types.ListIntrosParams; result: types.IntroList };
  retrieveIntro: { query: types.RetrieveIntroParams; result: types.Intro };
  cancelIntro: { body: types.EmptyBody; result: types.Intro };
  markIntroSent: { body: types.EmptyBody; result: types.Intro };
  correctIntroPhone: { body: types.CorrectPhone; result: types.Intro };
  takeDownIntro: { body: types.EmptyBody; result: types.Intro };
  retryRecording: { body: types.EmptyBody; result: types.Intro };
  createRecordingLink: { body: types.CreateRecordingLink; result: types.RecordingLink };
  retrieveTimeline: { result: types.TimelineStepList };
  optOutRecipient: { body: types.ChangeConsent; result: types.OptOut };
  optInRecipient: { body: types.ChangeConsent; result: types.RecipientConsent };
  listOptOuts: { query: types.ListOptOutsParams; result: types.OptOutList };
  eraseRecipient: { body: types.EraseRecipient; result: types.RecipientErasure };
  retrieveErasure: { result: types.RecipientErasure };
  recordTestIntro: { body: types.EmptyBody; result: types.Intro };
  openTestIntro: { body: types.EmptyBody; result: types.Intro };
  watchTestIntro: { body: types.WatchTestIntro; result: types.Intro };
  replyTestIntro: { body: types.ReplyTestIntro; result: types.Intro };
  optOutTestRecipient: { body: types.EmptyBody; result: types.Intro };
  optInTestRecipient: { body: types.EmptyBody; result: types.Intro };
  expireTestIntro: { body: types.EmptyBody; result: types.Intro };
  failTestIntro: { body: types.FailTestIntro; result: types.Intro };
  retrieveTestClock: { result: types.TestClock };
  advanceTestClock: { body: types.AdvanceTestClock; result: types.TestClock };
  resetTestClock: { body: types.EmptyBody; result: types.TestClock };
  listTouchpoints: { result: types.TouchpointList };
  retrieveTouchpoint: { result: types.Touchpoint };
  listMembers: { query: types.ListMembersParams; result: types.MemberList };
  createMember: { body: types.CreateMember; result: types.Member };
  retrieveMember: { result: types.Member };
  updateMember: { body: types.UpdateMember; result: types.Member };
  deactivateMember: { body: types.DeactivateMember; result: types.Member };
  reactivateMember: { body: types.EmptyBody; result: types.Member };
  createLinkDomain: { body: types.CreateLinkDomain; result: types.LinkDomain };
  listLinkDomains: { query: types.ListLinkDomainsParams; result: types.LinkDomainList };
  retrieveLinkDomain: { result: types.LinkDomain };
  deleteLinkDomain: { body: types.EmptyBody; result: types.DeletedLinkDomain };
  checkLinkDomain: { body: types.EmptyBody; result: types.LinkDomain };
  createWebhookEndpoint: { body: types.CreateWebhookEndpoint; result: types.WebhookEndpointWithSecret };
  listWebhookEndpoints: { query: types.ListWebhookEndpointsParams; result: types.WebhookEndpointList };
  retrieveWebhookEndpoint: { result: types.WebhookEndpoint };
  updateWebhookEndpoint: { body: types.UpdateWebhookEndpoint; result: types.WebhookEndpoint };
  deleteWebhookEndpoint: { body: types.EmptyBody; result: types.DeletedWebhookEndpoint };
  rotateWebhookSecret: { body: types.EmptyBody; result: types.WebhookEndpointWithSecret };
  listWebhookMessages: { query: types.ListWebhookMessagesParams; result: types.WebhookMessageList };
  retrieveWebhookMessage: { query: types.RetrieveWebhookMessageParams; result: types.WebhookMessage };
  listWebhookAttempts: { query: types.ListWebhookAttemptsParams; result: types.WebhookAttemptList };
  replayWebhooks: { body: types.ReplayWebhooks; result: types.WebhookReplay };
  testWebhookEndpoint: { body: types.TestWebhook; result: types.WebhookMessage };
}
