import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { listObjects } from '../../shared/paging';
import { callForeword } from '../../shared/request';
import {
  contextOptions,
  createdFilters,
  keyField,
  lastNameOption,
  memberLocator,
  metadataOption,
  pagingFor,
  partOption,
  recipientFields,
  recordFields,
  recordTypeOption,
  referenceFilter,
  revisionOption,
  showFor,
  touchpointLocator,
} from './fields';
import type { Operation } from './operation';
import {
  readCollection,
  readFilters,
  readKey,
  readLimit,
  readMoment,
  readTouchpoint,
  requireText,
  withoutEmpty,
} from './parameters';
import { nextWaitS, secondsLeft } from './waiting';

const RESOURCE = ['touchpointEvent'];
const BODY_OPERATIONS = ['create', 'createAndWait', 'dryRun'];
/** The start of the appointment in UTC to the minute. */
const APPOINTMENT_MINUTE =
  '$parameter.additionalFields.appointmentStartsAt && DateTime.fromISO($parameter.additionalFields.appointmentStartsAt, ' +
  "{ zone: $parameter.additionalFields.appointmentTimezone }).toUTC().toFormat(\"yyyy-MM-dd'T'HH:mm'Z'\")";
const DEFAULT_KEY =
  '={{ [$parameter.source, $parameter.recordId, $parameter.touchpoint, $parameter.additionalFields.part, ' +
  `${APPOINTMENT_MINUTE}, $parameter.additionalFields.revision].filter(part => part).join(":") }}`;

const additionalFields: INodeProperties = {
  displayName: 'Additional Fields',
  name: 'additionalFields',
  type: 'collection',
  placeholder: 'Add Field',
  default: {},
  options: [
    ...contextOptions,
    partOption,
    {
      displayName: 'Lane',
      name: 'lane',
      type: 'options',
      default: 'retail',
      options: [
        { name: 'Insurance', value: 'insurance' },
        { name: 'Retail', value: 'retail' },
      ],
    },
    metadataOption,
    lastNameOption,
    revisionOption,
    recordTypeOption,
    {
      displayName: 'Trade',
      name: 'trade',
      type: 'options',
      default: 'roofing',
      options: [
        { name: 'Doors', value: 'doors' },
        { name: 'Gutters', value: 'gutters' },
        { name: 'Roofing', value: 'roofing' },
        { name: 'Siding', value: 'siding' },
        { name: 'Windows', value: 'windows' },
      ],
    },
  ],
};

export const eventProperties: INodeProperties[] = [
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: { show: { resource: RESOURCE } },
    default: 'create',
    options: [
      {
        name: 'Create',
        value: 'create',
        description: 'Report a business moment; the organization decides what follows',
        action: 'Create a touchpoint event',
      },
      {
        name: 'Create and Wait',
        value: 'createAndWait',
        description: 'Report a business moment and wait until its intro exists',
        action: 'Create a touchpoint event and wait for its intro',
      },
      {
        name: 'Dry Run',
        value: 'dryRun',
        description: 'Show what an event would do, without storing or sending anything',
        action: 'Try a touchpoint event without creating it',
      },
      { name: 'Get', value: 'get', description: 'Retrieve an event', action: 'Get a touchpoint event' },
      {
        name: 'Get Many',
        value: 'getAll',
        description: 'List events, newest first',
        action: 'Get many touchpoint events',
      },
    ],
  },
  ...showFor(
    [
      touchpointLocator,
      memberLocator('member', 'Member', 'The team member who records the video'),
      ...recipientFields,
      {
        displayName: 'Occurred At',
        name: 'occurredAt',
        type: 'string',
        default: '',
        required: true,
        placeholder: 'e.g. 2026-03-10T09:15:00Z',
        description: 'When it happened in your system: ISO 8601 with an offset or Z. Not the current time.',
      },
      ...recordFields,
      additionalFields,
    ],
    { resource: RESOURCE, operation: BODY_OPERATIONS },
  ),
  ...showFor([keyField(DEFAULT_KEY)], { resource: RESOURCE, operation: ['create', 'createAndWait'] }),
  {
    displayName: 'Wait at Most (Seconds)',
    name: 'waitS',
    type: 'number',
    typeOptions: { minValue: 1, maxValue: 300 },
    default: 30,
    description: 'Processing usually takes less than a second',
    displayOptions: { show: { resource: RESOURCE, operation: ['createAndWait'] } },
  },
  {
    displayName: 'Event ID',
    name: 'eventId',
    type: 'string',
    default: '',
    required: true,
    placeholder: 'e.g. evt_01kahzv8e1f0rtx5m2q6n9d3bw',
    displayOptions: { show: { resource: RESOURCE, operation: ['get'] } },
  },
  ...pagingFor({ resource: RESOURCE, operation: ['getAll'] }),
  {
    displayName: 'Filters',
    name: 'filters',
    type: 'collection',
    placeholder: 'Add Filter',
    default: {},
    displayOptions: { show: { resource: RESOURCE, operation: ['getAll'] } },
    options: [
      ...createdFilters,
      referenceFilter,
      {
        displayName: 'Status',
        name: 'status',
        type: 'multiOptions',
        default: [],
        options: [
          { name: 'Accepted', value: 'accepted' },
          { name: 'Failed', value: 'failed' },
          { name: 'Processed', value: 'processed' },
        ],
      },
      {
        displayName: 'Touchpoint',
        name: 'touchpoint',
        type: 'string',
        default: '',
        placeholder: 'e.g. new_appointment',
        description: 'The slug of a touchpoint',
      },
    ],
  },
];

function readBody(context: IExecuteFunctions, itemIndex: number): IDataObject {
  const options = readCollection(context, 'additionalFields', itemIndex);
  const { fields, appointment } = readMoment(context, itemIndex, options);
  const eventContext = withoutEmpty({ appointment, trade: options.trade, lane: options.lane });
  return {
    touchpoint: readTouchpoint(context, itemIndex),
    occurred_at: requireText(context, 'occurredAt', 'Occurred At', itemIndex),
    ...fields,
    ...(Object.keys(eventContext).length > 0 && { context: eventContext }),
  };
}

const create: Operation = async (context, itemIndex) => [
  await callForeword(context, {
    method: 'POST',
    path: '/v1/touchpoint-events',
    body: readBody(context, itemIndex),
    idempotencyKey: readKey(context, itemIndex),
    itemIndex,
  }),
];

/** The event once it is processed. A failed event is an error with the API's reason. */
const createAndWait: Operation = async (context, itemIndex) => {
  const [created] = await create(context, itemIndex);
  const path = `/v1/events/${encodeURIComponent(String(created?.id))}`;
  const left = secondsLeft(context.getNodeParameter('waitS', itemIndex, 30) as number);
  for (;;) {
    const waitS = nextWaitS(left());
    const event = await callForeword(context, { method: 'GET', path, query: { wait: waitS }, waitS, itemIndex });
    if (event.status === 'processed') return [event];
    const node = context.getNode();
    if (event.status === 'failed') {
      const { code, message } = (event.error ?? {}) as { code?: string; message?: string };
      const description = `The event ${event.id} failed. Code: ${code}.`;
      throw new NodeOperationError(node, message ?? 'The event failed', { itemIndex, description });
    }
    if (left() <= 0)
      throw new NodeOperationError(node, `The event ${event.id} is accepted but not processed yet`, {
        itemIndex,
        description: 'Run the node again: the same Idempotency Key creates nothing twice.',
      });
  }
};

const dryRun: Operation = async (context, itemIndex) => [
  await callForeword(context, { method: 'POST', path: '/v1/dry_run', body: readBody(context, itemIndex), itemIndex }),
];

const get: Operation = async (context, itemIndex) => {
  const id = requireText(context, 'eventId', 'Event ID', itemIndex);
  return [await callForeword(context, { method: 'GET', path: `/v1/events/${encodeURIComponent(id)}`, itemIndex })];
};

const getAll: Operation = (context, itemIndex) =>
  listObjects(context, {
    path: '/v1/events',
    query: readFilters(context, itemIndex),
    ...readLimit(context, itemIndex),
    itemIndex,
  });

export const eventOperations: Readonly<Record<string, Operation>> = { create, createAndWait, dryRun, get, getAll };
