import { type Static, Type } from 'typebox';
import { Timestamp } from './fields.ts';
import { define, EVERY_POST } from './operation.ts';
import { RECORDING_LINK_LIFE_S } from './plain/index.ts';
import { IdParams, NoQuery } from './requests.ts';

const MIN_LIFE_S = 60;

export const CreateRecordingLink = Type.Object(
  {
    expires_in: Type.Optional(
      Type.Integer({
        minimum: MIN_LIFE_S,
        maximum: RECORDING_LINK_LIFE_S,
        default: RECORDING_LINK_LIFE_S,
        'x-problem': `must be a whole number of seconds from ${MIN_LIFE_S} to ${RECORDING_LINK_LIFE_S}`,
        description: 'After how many seconds the link expires.',
        examples: [300],
      }),
    ),
  },
  {
    additionalProperties: false,
    'x-component': 'CreateRecordingLink',
    description: 'How long the link works. The body can also be omitted.',
  },
);

export const RecordingLink = Type.Object(
  {
    object: Type.Literal('recording_link', { description: 'Always `recording_link`.' }),
    url: Type.String({
      format: 'uri',
      description: 'Opens the recorder without a sign-in. Show it only to the member.',
      examples: ['https://intros.acme.example/r/01kahzv8e1f0rtx5m2q6n9d3bw0001vztQhtE8zFq7Hc2Vx9LmQ4sRw6T'],
    }),
    expires_at: Timestamp('When the link expires. An upload that has started by then can finish.'),
  },
  { 'x-component': 'RecordingLink', description: "A short-lived form of the member's link." },
);

export const RECORDING_LINK_OPERATIONS = define({
  createRecordingLink: {
    method: 'POST',
    path: '/v1/intros/{id}/recording_link',
    operationId: 'createRecordingLink',
    tag: 'Intros',
    summary: 'Create a recording link',
    permission: 'recording_links',
    isClosedToAgents: true,
    description:
      'Returns a link that opens the recorder for this intro, for example behind a button in your own app. Anyone who has it can ' +
      `record, so it expires after ${RECORDING_LINK_LIFE_S / 60} minutes. ` +
      'A repeat with the same Idempotency-Key returns the same link until it expires, and then a new one.',
    params: IdParams('The intro identifier.', 'int_01kahzv8e1f0rtx5m2q6n9d3bw'),
    query: NoQuery,
    body: { kind: 'optional', schema: CreateRecordingLink },
    success: { status: 201, schema: RecordingLink, description: 'The link.' },
    errors: [...EVERY_POST, 'not_found', 'intro_closed'],
  },
});

export type CreateRecordingLink = Static<typeof CreateRecordingLink>;
export type RecordingLink = Static<typeof RecordingLink>;
