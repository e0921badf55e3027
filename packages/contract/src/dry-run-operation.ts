import { type Static, Type } from 'typebox';
import { Environment, Nullable, oneOf, Responsibility, ScriptLanguage, Timestamp } from './fields.ts';
import { define } from './operation.ts';
import { CreateTouchpointEvent, NoQuery } from './requests.ts';
import { EventError, Intro, TouchpointEvent } from './resources.ts';

const { member, recipient, reference, context, recipient_opted_out, metadata } = Intro.properties;

const DraftedIntro = Type.Object(
  {
    recipient,
    reference,
    context,
    instructions: Type.Object(
      {
        script: Type.String({ description: 'The rendered script.' }),
        script_language: ScriptLanguage,
        words: Type.Integer({ minimum: 0, description: 'Number of words in the script.' }),
        seconds: Type.Number({
          minimum: 0,
          description:
            'How long the member needs to read it, estimated from their own pace if it is known. About 15 is ideal.',
        }),
      },
      { 'x-component': 'DryRunInstructions', description: 'The words for the member to say.' },
    ),
    recipient_opted_out,
    delivery: Type.Object(
      { responsibility: Responsibility },
      { 'x-component': 'DryRunDelivery', description: 'Who would send the link.' },
    ),
    metadata,
    expires_at: Timestamp('When it would expire if it were created now.'),
  },
  { 'x-component': 'DryRunIntro', description: 'The intro that the event would create.' },
);

export const DryRunResult = Type.Object(
  {
    object: Type.Literal('dry_run', { description: 'Always `dry_run`.' }),
    status: oneOf(['processed', 'failed'], 'The status that the event would get.'),
    touchpoint: TouchpointEvent.properties.resolved.properties.touchpoint,
    member,
    intro: Nullable(DraftedIntro, 'The intro that the event would create; null when status is `failed`.'),
    error: Nullable(EventError, 'Why processing the event would fail; null when status is `processed`.'),
    environment: Environment,
  },
  { 'x-component': 'DryRun', description: 'The result that an event would have now.' },
);
export type DryRunResult = Static<typeof DryRunResult>;

export const DRY_RUN_OPERATION = define({
  dryRun: {
    method: 'POST',
    path: '/v1/dry_run',
    operationId: 'dryRun',
    tag: 'Touchpoint events',
    summary: 'Try an event without sending it',
    description:
      'Takes the body of `POST /v1/touchpoint-events` and returns the same errors. For an event that would be accepted, returns the ' +
      'result that processing would have now: the intro with its rendered title and script, or the reason why there would be none. ' +
      'Creates nothing, notifies no one and needs no `Idempotency-Key`. Counts as a read for the rate limit.',
    changesNothing: true,
    allowsEventKeys: true,
    query: NoQuery,
    body: { kind: 'required', schema: CreateTouchpointEvent },
    success: { status: 200, schema: DryRunResult, description: 'The result that the event would have.' },
    errors: [
      'validation_failed',
      'payload_too_large',
      'unsupported_media_type',
      'touchpoint_not_found',
      'member_not_found',
      'member_ambiguous',
    ],
  },
});
